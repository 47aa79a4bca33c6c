using System.Net.Security;
using System.Security.Authentication;
using Broker.Cli.Configuration;
using Broker.Cli.Tests.CommandLine;
using Broker.Server;

namespace Broker.Cli.Tests.Configuration;

public sealed class TlsConfigTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly TestCertificates _certificates = TestCertificates.Common;
    private readonly List<ConfigProblem> _warnings = [];
    private readonly string _files;

    public TlsConfigTests()
    {
        (string? certificate, string? key) = TestCertificates.WriteSelfSigned(_folder.Path);
        _files = $"cert_file: \"{certificate}\"\n key_file: \"{key}\"\n ca_file: \"{certificate}\"\n";
    }

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Without_the_key_there_is_none()
    {
        Assert.Null(Bind("").Tls);
        Assert.Null(Bind("allow_non_tls: true").Tls);
    }

    [Fact]
    public void The_defaults_are_nats_servers()
    {
        ServerTlsOptions tls = Bind($"tls {{ {_files} }}").Tls!;

        Assert.EndsWith("server.pem", tls.CertificateFile, StringComparison.Ordinal);
        Assert.EndsWith("server.key", tls.KeyFile, StringComparison.Ordinal);
        Assert.Equal(
            (ClientCertificateMode.None, false, false, false, 2d, SslProtocols.Tls12),
            (tls.ClientCertificates, tls.MapUsers, tls.HandshakeFirst, tls.AllowNonTls, tls.Timeout.TotalSeconds, tls.MinVersion));
        Assert.Empty(tls.CipherSuites);
    }

    [Fact]
    public void All_keys_are_taken()
    {
        ServerTlsOptions tls = Bind($$"""
            allow_non_tls: true
            tls {
              {{_files}}
              verify_and_map: true
              timeout: 0.5
              handshake_first: auto
              min_version: 1.3
              cipher_suites: [ "TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305" ]
              curve_preferences: [ CurveP256 ]
            }
            """).Tls!;

        Assert.Equal(
            (ClientCertificateMode.Required, true, true, true, 0.5, SslProtocols.Tls13),
            (tls.ClientCertificates, tls.MapUsers, tls.HandshakeFirst, tls.AllowNonTls, tls.Timeout.TotalSeconds, tls.MinVersion));
        Assert.Equal(50, tls.HandshakeFirstFallback.TotalMilliseconds);
        Assert.Equal([TlsCipherSuite.TLS_AES_128_GCM_SHA256, TlsCipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256], tls.CipherSuites);
        Assert.Contains("\"curve_preferences\" has no effect", Assert.Single(_warnings).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("handshake_first: true", true, 0)]
    [InlineData("handshake_first: \"300ms\"", true, 300)]
    [InlineData("handshake_first: false", false, 0)]
    public void The_handshake_can_come_first(string text, bool first, int fallback)
    {
        ServerTlsOptions tls = Bind($"tls {{ {_files}\n {text} }}").Tls!;

        Assert.Equal((first, (double)fallback), (tls.HandshakeFirst, tls.HandshakeFirstFallback.TotalMilliseconds));
    }

    [Theory]
    [InlineData("tls: true", "\"tls\" must be a block, not true at ")]
    [InlineData("tls { }", "TLS needs a certificate: \"cert_file\" with \"key_file\"")]
    [InlineData("tls { cert_file: \"/nowhere/a.pem\" }", "\"cert_file\" must be an existing file, not \"/nowhere/a.pem\" at ")]
    [InlineData("tls { FILES\n vrify: true }", "unknown key \"vrify\" at {file}:5:2, did you mean \"verify\"?")]
    [InlineData("tls { FILES\n verify: 1 }", "\"verify\" must be true or false, not 1 at {file}:5:10")]
    [InlineData("tls { FILES\n timeout: soon }", "\"timeout\" must be a duration")]
    [InlineData("tls { FILES\n min_version: 1.1 }", "\"min_version\" must be \"1.2\" or \"1.3\", not 1.1")]
    [InlineData("tls { FILES\n cipher_suites: [ TLS_NONE ] }", "\"cipher_suites\" must be cipher suites such as")]
    [InlineData("tls { FILES\n cipher_suites: [ \"4865\" ] }", "\"cipher_suites\" must be cipher suites such as")]
    [InlineData("tls { FILES\n curve_preferences: [ P256 ] }", "\"curve_preferences\" must be one or more of CurveP256")]
    [InlineData("tls { FILES\n handshake_first: maybe }", "\"handshake_first\" must be true, false, \"auto\" or a duration")]
    [InlineData("allow_non_tls: true\ntls { FILES\n handshake_first: true }", "TLS: AllowNonTls with HandshakeFirst needs")]
    [InlineData("alow_non_tls: true", "unknown key \"alow_non_tls\" at {file}:1:1, did you mean \"allow_non_tls\"?")]
    [InlineData("tls { FILES\n verify: true }\nauthorization { users: [ { user: a } ] }", "a user must have a \"user\" and a \"password\", or an \"nkey\"")]
    public void What_is_wrong_is_named_with_its_place(string text, string problem)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(text.Replace("FILES", _files, StringComparison.Ordinal)));

        string file = Path.Combine(_folder.Path, "b.conf");
        Assert.Contains(e.Problems, p => p.ToString().StartsWith(problem.Replace("{file}", file, StringComparison.Ordinal), StringComparison.Ordinal));
    }

    [Fact]
    public void A_key_that_does_not_fit_is_found()
    {
        (string? certificate, string _) = TestCertificates.WriteSelfSigned(_folder.Path);
        (string _, string? key) = TestCertificates.WriteSelfSigned(_folder.Path, "other");

        ConfigException e = Assert.Throws<ConfigException>(() => Bind($"tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}"));

        Assert.Contains("must contain the private key of the certificate", e.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("BEGIN", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Users_that_certificates_name_need_no_password()
    {
        ServeSettings settings = Bind($"tls {{ {_files}\n verify_and_map: true }}\nauthorization {{ users: [ {{ user: \"CN=a\" }}, {{ user: b, password: b }} ] }}");

        Assert.Equal(["CN=a", "b"], settings.Security!.Users.Select(u => u.Name));
    }

    [Fact]
    public async Task Flags_win_over_the_file()
    {
        (string? certificate, string? key) = TestCertificates.WriteSelfSigned(_folder.Path, "flag");
        string file = _folder.Write("f.conf", $"tls {{ {_files}\n timeout: 7 }}");

        ServerTlsOptions both = (await CommandRun.Of("serve", "-c", file, "--tlscert", certificate, "-tlskey=" + key, "--tlsverify")).Host.Started!.Tls!;
        CommandRun off = await CommandRun.Of("serve", "-c", file, "--tls=false");
        ServerTlsOptions alone = (await CommandRun.Of("--tls", "--tlscert", certificate, "--tlskey", key, "--tlscacert", certificate)).Host.Started!.Tls!;

        Assert.Equal(
            (certificate, key, ClientCertificateMode.Required, 7d),
            (both.CertificateFile, both.KeyFile, both.ClientCertificates, both.Timeout.TotalSeconds));
        Assert.Null(off.Host.Started!.Tls);
        Assert.Equal((certificate, certificate, ClientCertificateMode.None), (alone.CertificateFile, alone.ClientAuthorityFile, alone.ClientCertificates));
    }

    [Theory]
    [InlineData("--tls")]
    [InlineData("--tlsverify")]
    public async Task TLS_without_a_certificate_is_one_line(string flag)
    {
        CommandRun run = await CommandRun.Of("serve", flag, "-t");

        Assert.Equal(ExitCode.Failure, run.ExitCode);
        Assert.Equal("broker: TLS needs a certificate: \"cert_file\" with \"key_file\", or --tlscert with --tlskey", run.Error.TrimEnd());
    }

    [Fact]
    public async Task The_check_reads_the_files()
    {
        CommandRun good = await CommandRun.Of("serve", "-t", "-c", _folder.Write("good.conf", $"tls {{ {_files}\n curve_preferences: [X25519] }}"));
        CommandRun bad = await CommandRun.Of("serve", "-t", "-c", _folder.Write("bad.conf", $"tls {{ cert_file: \"{_folder.Write("empty.pem", "")}\" }}"));

        Assert.Equal(ExitCode.Success, good.ExitCode);
        Assert.Contains("warning: \"curve_preferences\" has no effect", good.Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Failure, bad.ExitCode);
        Assert.Contains("contains no PEM certificate", bad.Error, StringComparison.Ordinal);
        Assert.Contains("bad.conf:1:5", bad.Error, StringComparison.Ordinal);
    }

    private ServeSettings Bind(string text)
        => ServeConfig.Bind(ConfigFile.Load(_folder.Write("b.conf", text)).Root, new ServeSettings(), _warnings);

    [Theory]
    [InlineData("tls { FILES }")]
    [InlineData("websocket { port: -1, tls { FILES } }")]
    public void A_certificate_that_is_not_valid_now_is_a_warning_with_its_place(string text)
    {
        (string certificate, string key) = _certificates.Write("old", _certificates.SignServer(days: 1));

        Bind(text.Replace("FILES", $"\ncert_file: \"{certificate}\", key_file: \"{key}\"", StringComparison.Ordinal));

        ConfigProblem warning = Assert.Single(_warnings);
        Assert.StartsWith("the certificate has expired at ", warning.Message, StringComparison.Ordinal);
        Assert.Equal(2, warning.Position.Line);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_encrypted_key_is_called_so(bool isPkcs8)
    {
        (string certificate, string key) = TestCertificates.WriteSelfSigned(_folder.Path, "encrypted");
        using var pair = System.Security.Cryptography.ECDsa.Create();
        pair.ImportFromPem(File.ReadAllText(key));
        File.WriteAllText(key, isPkcs8
            ? pair.ExportEncryptedPkcs8PrivateKeyPem("secret", new(System.Security.Cryptography.PbeEncryptionAlgorithm.Aes256Cbc, System.Security.Cryptography.HashAlgorithmName.SHA256, 1000))
            : "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n-----END EC PRIVATE KEY-----\n");

        ConfigException e = Assert.Throws<ConfigException>(() => Bind($"tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}"));

        Assert.Contains($"The private key in '{key}' is encrypted with a password", e.Message, StringComparison.Ordinal);
    }
}
