using Broker.Cli.Configuration;

namespace Broker.Cli.Tests.Configuration;

public sealed class WebSocketConfigTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Every_key_is_taken()
    {
        (string? certificate, string? key) = TestCertificates.WriteSelfSigned(_folder.Path, "a");

        WebSocketSettings sockets = Bind($$"""
            no_auth_user: ada
            authorization { users = [{ user: ada, password: x }] }
            websocket {
              listen: "127.0.0.1:8443"
              tls { cert_file: "{{certificate}}", key_file: "{{key}}", ca_file: "{{certificate}}", verify: true }
              allowed_origins: ["https://a.example", "http://b.example:8080"]
              same_origin: true
              compression: true
              handshake_timeout: "3s"
              advertise: "ws.example:443"
              no_auth_user: ada
            }
            """).WebSocket!;

        Assert.Equal(["https://a.example", "http://b.example:8080"], sockets.AllowedOrigins);
        Assert.Equal(
            new WebSocketSettings
            {
                Address = new ListenAddress("127.0.0.1", 8443),
                Tls = sockets.Tls,
                AllowedOrigins = sockets.AllowedOrigins,
                SameOrigin = true,
                Compression = true,
                HandshakeTimeout = TimeSpan.FromSeconds(3),
                Advertise = "ws.example:443",
            },
            sockets);
        Assert.True(sockets.Tls!.CreateAuthentication().ClientCertificateRequired);
    }

    [Theory]
    [InlineData("websocket { port: 80, no_tls: true }", "0.0.0.0:80")]
    [InlineData("ws { host: a, port: 80, no_tls: true }", "a:80")]
    [InlineData("websocket { net: a, listen: 80, no_tls: true }", "a:80")]
    [InlineData("websocket { listen: \":80\", no_tls: true }", "0.0.0.0:80")]
    [InlineData("websocket { port: -1, no_tls: true }", "0.0.0.0:0")]
    [InlineData("websocket { listen: \"127.0.0.1:-1\", no_tls: true }", "127.0.0.1:0")]
    public void The_address_is_given_in_one_or_in_parts(string text, string address)
        => Assert.Equal(address, Bind(text).WebSocket!.Address.ToString());

    [Theory]
    [InlineData("websocket { port: 80 }", "\"websocket\" needs a certificate in \"tls\", or \"no_tls: true\" for no TLS at test.conf:1:11")]
    [InlineData("websocket { no_tls: true }", "\"websocket\" needs a \"port\" or \"listen\" to listen on at test.conf:1:11")]
    [InlineData("websocket: true", "\"websocket\" must be a block, not true at test.conf:1:12")]
    [InlineData("websocket { port: 80, no_tls: true, compresion: true }", "unknown key \"compresion\" at test.conf:1:37, did you mean \"compression\"?")]
    [InlineData("websocket { port: 80, no_tls: true, allowed_origins: [a] }", "\"allowed_origins\" must be an origin such as \"https://app.example.org\", not \"a\" at test.conf:1:55")]
    [InlineData("websocket { port: 80, no_tls: true, no_auth_user: bob }", "\"no_auth_user\" of \"websocket\" must equal the \"no_auth_user\" of the whole server at test.conf:1:51")]
    [InlineData("websocket { port: 80, tls { key_file: k } }", "\"key_file\" must be an existing file, not \"k\" at test.conf:1:39")]
    [InlineData("websocket { port: 80, tls { verify: true } }", "TLS needs a certificate: \"cert_file\" with \"key_file\", or --tlscert with --tlskey at test.conf:1:27")]
    [InlineData("websocket { port: 80, tls { cert_file: k } }", "\"cert_file\" must be an existing file, not \"k\" at test.conf:1:40")]
    [InlineData("websocket { port: 80, tls { cert_fil: k } }", "unknown key \"cert_fil\" at test.conf:1:29, did you mean \"cert_file\"?")]
    [InlineData("http: 80\nhttps: 81", "\"http\" and \"https\" cannot be combined at test.conf:2:1")]
    public void What_is_wrong_is_said_with_its_place(string text, string message)
        => Assert.Equal([message], Problems(text));

    [Fact]
    public void A_certificate_that_is_not_there_or_not_of_the_key_is_a_problem_of_the_file()
    {
        (string? certificate, string _) = TestCertificates.WriteSelfSigned(_folder.Path, "a");
        (string _, string? key) = TestCertificates.WriteSelfSigned(_folder.Path, "b");

        string missing = Assert.Single(Problems($"websocket {{ port: 80, tls {{ cert_file: \"{certificate}x\", key_file: \"{key}\" }} }}"));
        string other = Assert.Single(Problems($"websocket {{ port: 80, tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }} }}"));

        Assert.StartsWith($"\"cert_file\" must be an existing file, not \"{certificate}x\" at test.conf:1:", missing, StringComparison.Ordinal);
        Assert.StartsWith($"The file '{key}' must contain the private key of the certificate in '{certificate}'", other, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("https: 443", "127.0.0.1:443")]
    [InlineData("https: \"0.0.0.0:443\"", "0.0.0.0:443")]
    [InlineData("host: h\nhttps_port: 443", "h:443")]
    public void HTTPS_is_configured_as_HTTP_is(string text, string address) => Assert.Equal(address, Bind(text).Https!.ToString());

    private static string[] Problems(string text)
        => [.. Assert.Throws<ConfigException>(() => Bind(text)).Problems.Select(problem => problem.ToString())];

    private static ServeSettings Bind(string text) => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings());
}
