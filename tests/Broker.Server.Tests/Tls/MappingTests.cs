using System.Security.Cryptography.X509Certificates;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Tls;

public sealed class MappingTests
{
    private static readonly TestCertificates Common = TestCertificates.Common;
    private static readonly ServerTlsOptions Mapping = new()
    {
        Certificate = Common.Server,
        ClientCertificates = ClientCertificateMode.Required,
        ClientAuthorityFile = Common.AuthorityFile,
        MapUsers = true,
        Timeout = TimeSpan.FromSeconds(60),
    };

    [Fact]
    public async Task A_certificate_says_who_a_client_is_and_what_it_may_do()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping;
            o.Users =
            [
                User.WithCertificate("pump@example.org", new Permissions { Publish = SubjectPermissions.Only("pump") }),
                new User("other", "password"),
            ];
        });
        using X509Certificate2 pump = Common.SignClient("CN=whatever", n => n.AddEmailAddress("pump@example.org"));
        using var client = TlsClient.Open(server.EndPoints[0], pump);
        Assert.Equal("PONG\r\n", client.Connect("""{"verbose":false,"pedantic":false}"""));
        client.Send("PUB other 1\r\nx\r\n");
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"other\"'\r\n", client.ReadAnswer());
        ConnectionPage page = await server.InspectConnectionsAsync(null, TestContext.Current.CancellationToken);
        Assert.Equal("pump@example.org", page.Connections[0].User);

        using X509Certificate2 stranger = Common.SignClient("CN=stranger");
        using var refused = TlsClient.Open(server.EndPoints[0], stranger);
        Assert.Equal("-ERR 'Authorization Violation'\r\n", refused.Connect("""{"user":"other","pass":"password"}"""));
    }

    [Theory]
    [InlineData("""{"verbose":false}""", false)]
    [InlineData("""{"verbose":false,"pass":"wrong"}""", false)]
    [InlineData("""{"verbose":false,"user":"pump@example.org"}""", false)]
    [InlineData("""{"verbose":false,"user":"pump@example.org","pass":"wrong"}""", false)]
    [InlineData("""{"verbose":false,"user":"other","pass":"secret"}""", false)]
    [InlineData("""{"verbose":false,"user":"other","pass":"password"}""", false)]
    [InlineData("""{"verbose":false,"auth_token":"secret"}""", false)]
    [InlineData("""{"verbose":false,"pass":"secret"}""", true)]
    [InlineData("""{"verbose":false,"user":"pump@example.org","pass":"secret"}""", true)]
    public async Task A_user_with_a_password_needs_the_certificate_and_the_password(string connect, bool isAccepted)
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping;
            o.Users = [new User("pump@example.org", "secret"), new User("other", "password")];
        });
        using X509Certificate2 pump = Common.SignClient("CN=whatever", n => n.AddEmailAddress("pump@example.org"));
        using var client = TlsClient.Open(server.EndPoints[0], pump);

        string answer = client.Connect(connect);

        Assert.Equal(isAccepted ? "PONG\r\n" : "-ERR 'Authorization Violation'\r\n", answer);
    }

    [Theory]
    [InlineData("""{"verbose":false,"user":"pump@example.org"}""", true)]
    [InlineData("""{"verbose":false,"user":"other","pass":"password"}""", false)]
    [InlineData("""{"verbose":false,"user":"nobody"}""", false)]
    [InlineData("""{"verbose":false,"pass":"any"}""", false)]
    public async Task A_user_with_a_certificate_only_must_not_send_a_password_or_another_name(string connect, bool isAccepted)
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping;
            o.Users = [User.WithCertificate("pump@example.org"), new User("other", "password")];
        });
        using X509Certificate2 pump = Common.SignClient("CN=whatever", n => n.AddEmailAddress("pump@example.org"));
        using var client = TlsClient.Open(server.EndPoints[0], pump);

        Assert.Equal(isAccepted ? "PONG\r\n" : "-ERR 'Authorization Violation'\r\n", client.Connect(connect));
    }

    [Theory]
    [InlineData("stranger@example.org", "{}", "no user has a name of its certificate: stranger@example.org, s.example.org, CN=stranger")]
    [InlineData("pump@example.org", """{"user":"other","pass":"p"}""", "its certificate is that of user pump@example.org, but its credentials are not")]
    public async Task The_log_names_what_was_looked_up(string email, string connect, string why)
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Tls = Mapping;
            o.Users = [User.WithCertificate("pump@example.org"), new User("other", "p")];
        });
        using X509Certificate2 certificate = Common.SignClient("CN=stranger", n =>
        {
            n.AddDnsName("s.example.org");
            n.AddEmailAddress(email);
        });
        using var client = TlsClient.Open(server.EndPoints[0], certificate);

        Assert.Equal("-ERR 'Authorization Violation'\r\n", client.Connect(connect));

        Assert.Contains(log.Warnings, line => line.EndsWith($" not authorized: {why}", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_client_without_a_certificate_is_refused()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping with { AllowNonTls = true };
            o.Users = [User.WithCertificate("a@example.org"), new User("b", "b"), new User("c", "c")];
            o.NoAuthUser = "c";
        });
        foreach (string connect in new[] { """{"user":"b","pass":"b"}""", """{"user":"a@example.org","pass":""}""", "{}" })
        {
            using var clear = new RawClient(server.EndPoints[0]);
            Assert.Contains("\"auth_required\":true", clear.ReadLine(), StringComparison.Ordinal);
            clear.Send($"CONNECT {connect}\r\n");
            Assert.Equal("-ERR 'Authorization Violation'\r\n", clear.ReadToEnd());
        }
    }

    [Fact]
    public async Task In_process_clients_authenticate_by_passwords()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping;
            o.Users = [User.WithCertificate("a@example.org"), new User("b", "b")];
        });
        foreach ((string user, string answer) in new[] { ("b", "PONG"), ("a@example.org", "Authorization Violation") })
        {
            var handler = new InProcessClient();
            Broker.Transport.Connection client = server.ConnectInProcess(server.Loops[0], handler);
            string connect = $$"""CONNECT {"verbose":false,"user":"{{user}}","pass":"{{(user == "b" ? "b" : "")}}"}""" + "\r\nPING\r\n";
            server.Loops[0].Post(() => client.GetWriteBuffer(server.Loops[0]).Write(System.Text.Encoding.ASCII.GetBytes(connect)));
            await Wait.UntilAsync(() => handler.Text.Contains(answer, StringComparison.Ordinal), answer);
        }
    }

    [Fact]
    public async Task A_client_with_a_certificate_stays_as_long_as_its_user_exists()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping;
            o.Users = [User.WithCertificate("CN=client")];
        });
        using var client = TlsClient.Open(server.EndPoints[0], Common.Client);
        Assert.Equal("PONG\r\n", client.Connect());

        await server.ReloadAsync(o => o.Users = [User.WithCertificate("CN=client"), User.WithCertificate("CN=other")]);
        client.Send("PING\r\n");
        Assert.Equal("PONG\r\n", client.ReadAnswer());
        await server.ReloadAsync(o => o.Users = [User.WithCertificate("CN=other")]);

        Assert.Equal("-ERR 'User Authentication Revoked'\r\n", client.ReadAnswer());
    }

    [Fact]
    public async Task Users_and_TLS_can_be_replaced_one_after_the_other()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Mapping;
            o.Users = [User.WithCertificate("CN=client")];
        });
        await server.ReloadAsync(o => o.Users = [new User("a", "b")]);
        await server.ReloadAsync(o => o.Tls = Mapping with { MapUsers = false });
        using var client = TlsClient.Open(server.EndPoints[0], Common.Client);
        Assert.Equal("PONG\r\n", client.Connect("""{"verbose":false,"user":"a","pass":"b"}"""));

        await server.ReloadAsync(o => o.Tls = Mapping);
        await server.ReloadAsync(o => o.Users = [User.WithCertificate("CN=client")]);
        using var mapped = TlsClient.Open(server.EndPoints[0], Common.Client);
        Assert.Equal("PONG\r\n", mapped.Connect());
        Assert.Equal("-ERR 'User Authentication Revoked'\r\n", client.ReadAnswer());
    }

    [Theory]
    [InlineData("CN=a,O=b", "O=b,CN=a", true)]
    [InlineData("cn = a , o = b", "CN=a,O=b", true)]
    [InlineData("CN=a", "CN=A", false)]
    [InlineData("CN=a,O=b", "CN=a,O=b,OU=c", false)]
    [InlineData("CN=a,O=b,OU=c", "CN=a,O=b", false)]
    [InlineData("CN=a,DC=x,DC=x", "CN=a,DC=x,DC=y", false)]
    [InlineData("CN=a,DC=y,DC=x", "CN=a,DC=x,DC=y", true)]
    [InlineData("CN=a", "CN=a,DC=x,DC=y", true)]
    [InlineData("CN=a,DC=x", "CN=a,DC=x,DC=y", false)]
    [InlineData("CN=a\\,O\\=b", "CN=\"a,O=b\"", true)]
    [InlineData("CN=a,O=b", "CN=\"a,O=b\"", false)]
    [InlineData("CN=\\C3\\A9t\\C3\\A9", "CN=\u00e9t\u00e9", true)]
    [InlineData("CN=\u00e9t\u00e9", "CN=\u00e9t\u00e9", true)]
    public void Names_are_compared_part_by_part(string user, string subject, bool same)
    {
        Assert.True(DistinguishedName.TryGetKey(user, out string? key));
        Assert.Equal(same, DistinguishedName.KeysOf(new X500DistinguishedName(subject).RawData).Contains(key));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a")]
    [InlineData("a@example.org")]
    [InlineData("CN=")]
    [InlineData("=a")]
    [InlineData("CN=a,")]
    [InlineData(",CN=a")]
    [InlineData("CN=a,O")]
    [InlineData("CN=a+")]
    [InlineData("CN=a\\")]
    [InlineData("CN=a\\4")]
    public void An_invalid_name_has_no_key(string text) => Assert.False(DistinguishedName.TryGetKey(text, out _));

    [Fact]
    public void An_invalid_certificate_subject_has_no_key()
    {
        var random = new Random(Seed.Next());
        byte[] good = new X500DistinguishedName("CN=a,O=b").RawData;
        for (int i = 0; i < 5000; i++)
        {
            byte[] bad = [.. good];
            bad[random.Next(bad.Length)] = (byte)random.Next(256);
            // The result does not matter, but the method must not throw.
            Assert.InRange(DistinguishedName.KeysOf(bad[..random.Next(bad.Length + 1)]).Count, 0, 2);
        }
    }
}
