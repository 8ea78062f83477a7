# For apps whose Flutter uses CocoaPods. `make client-package` writes the podspecs that this one depends on.
Pod::Spec.new do |s|
  s.name = 'counterfoil_flutter'
  s.version = '0.1.0'
  s.summary = 'The App Store on iOS, with a server of your own that grants what was paid exactly once.'
  s.homepage = ENV.fetch('COUNTERFOIL_HOMEPAGE', 'https://git.example.com/counterfoil')
  s.license = { :type => 'Apache-2.0', :file => '../../../LICENSE' }
  s.author = 'The authors of Counterfoil'
  s.source = { :path => '.' }
  s.source_files = 'counterfoil_flutter/Sources/counterfoil_flutter/**/*.swift'
  s.dependency 'Flutter'
  s.dependency 'CounterfoilApp'
  s.dependency 'CounterfoilWeChat'
  s.platform = :ios, '15.0'
  s.swift_version = '5.0'
  # Tests reach what is for them.
  s.pod_target_xcconfig = { 'OTHER_SWIFT_FLAGS' => '-package-name counterfoil_flutter' }
end
