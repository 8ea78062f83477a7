package android.security.keystore;

import java.security.spec.AlgorithmParameterSpec;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
    public final String alias;
    public final int purposes;

    private KeyGenParameterSpec(String alias, int purposes) {
        this.alias = alias;
        this.purposes = purposes;
    }

    public static final class Builder {
        private final String alias;
        private final int purposes;

        public Builder(String alias, int purposes) {
            this.alias = alias;
            this.purposes = purposes;
        }

        public Builder setBlockModes(String... modes) { return this; }
        public Builder setEncryptionPaddings(String... names) { return this; }
        public Builder setKeySize(int bits) { return this; }
        public KeyGenParameterSpec build() { return new KeyGenParameterSpec(alias, purposes); }
    }
}
