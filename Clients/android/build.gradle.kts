// Not run in our tests, which compile the sources with the Kotlin compiler alone: there is no Android SDK.
plugins {
    id("com.android.library") version "8.7.3"
    id("org.jetbrains.kotlin.android") version "2.3.10"
    `maven-publish`
}

group = "counterfoil"

android {
    namespace = "counterfoil.android"
    compileSdk = 35
    defaultConfig { minSdk = 26 }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }
    sourceSets["main"].resources.srcDir(layout.buildDirectory.dir("messages"))
}

kotlin { jvmToolchain(17) }

// All clients share one file of texts.
val messages by tasks.registering(Copy::class) {
    from("../messages.json")
    into(layout.buildDirectory.dir("messages/counterfoil"))
}
tasks.named("preBuild") { dependsOn(messages) }

dependencies {
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-android:1.10.2")
    implementation("org.jetbrains.kotlinx:kotlinx-serialization-json:1.9.0")
    compileOnly("com.tencent.mm.opensdk:wechat-sdk-android:6.8.34")
}
