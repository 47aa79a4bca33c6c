using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Clients;

/// <summary>Tests official clients over TLS, and clients that a server must refuse.</summary>
[Trait("clients", "official")]
public sealed class TlsTests(SessionCertificates certificates) : IClassFixture<SessionCertificates>
{
    // The errors of the libraries for an unknown authority.
    private const string Distrust = "(?i)certificate|unknown authority|ssl error|self.signed|verify";

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task A_client_that_trusts_the_authority_talks_over_tls(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $"tls {{ {certificates.ServerKeys} }}\n");
        await using NatsSession session = await NatsSession.ConnectAsync(client, secure.Url, certificates.Trust);
        await using NatsSession other = await NatsSession.ConnectAsync(client, secure.Url, certificates.Trust);
        await session.SubscribeAsync("a", "subject");
        await session.RespondAsync("echo", "service");
        string large = new string('x', 1_000_000);

        await other.PublishAsync("subject", large, "Unit: C");
        await other.BurstAsync("subject", 2000);

        Message message = await session.ReadAsync("a");
        Assert.Equal(large, message.PayloadText);
        Assert.Equal(["Unit: C"], message.Headers);
        for (int i = 0; i < 2000; i++)
        {
            Assert.Equal($"{i}", (await session.ReadAsync("a")).PayloadText);
        }

        Assert.Equal("ask", await other.RequestAsync("service", "ask"));
    }

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task Flags_alone_serve_tls_and_ask_for_a_client_certificate(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(
            server, "",
            "--tls", "--tlscert", certificates.CertificateFile, "--tlskey", certificates.KeyFile,
            "--tlsverify", "--tlscacert", certificates.AuthorityFile);

        await using NatsSession session = await NatsSession.ConnectAsync(client, secure.Url, certificates.Client("bob"));
        await session.RoundTripAsync();
        Assert.NotEmpty(await NatsSession.RefusalAsync(client, secure.Url, certificates.Trust));
    }

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task A_client_that_trusts_another_authority_leaves_and_the_next_one_is_served(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $"tls {{ {certificates.ServerKeys} }}\n");

        Assert.Matches(Distrust, await NatsSession.RefusalAsync(client, secure.Url, certificates.WrongTrust));
        // Clients without a TLS option still use TLS if the server requires it, and trust the authorities of the
        // system.
        Assert.Matches(Distrust, await NatsSession.RefusalAsync(client, secure.Url));

        await using NatsSession session = await NatsSession.ConnectAsync(client, secure.Url, certificates.Trust);
        await session.RoundTripAsync();
    }

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task With_verify_only_a_client_whose_certificate_the_authority_signed_comes_in(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $"tls {{ {certificates.ServerKeys}, verify: true }}\n");

        await using NatsSession session = await NatsSession.ConnectAsync(client, secure.Url, certificates.Client("bob"));
        await session.RoundTripAsync();

        Assert.NotEmpty(await NatsSession.RefusalAsync(client, secure.Url, certificates.Trust));
        Assert.NotEmpty(await NatsSession.RefusalAsync(client, secure.Url, certificates.Client("mallory")));
        session.AssertNoEvent("");
    }

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task With_verify_and_map_the_certificate_says_who_the_client_is(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $$"""
            tls { {{certificates.ServerKeys}}, verify_and_map: true }
            authorization {
              users = [
                { user: "ada@example.org", permissions: { publish: "adas.>", subscribe: ">" } }
                { user: "CN=bob", permissions: { publish: "bobs.>", subscribe: ">" } }
              ]
            }

            """);
        await using NatsSession ada = await NatsSession.ConnectAsync(client, secure.Url, certificates.Client("ada"));
        await using NatsSession bob = await NatsSession.ConnectAsync(client, secure.Url, certificates.Client("bob"));
        await ada.SubscribeAsync("a", "bobs.*");

        await ada.PublishAsync("bobs.a", "not hers");
        Assert.Contains("bobs.a", await ada.EventAsync("error"), StringComparison.Ordinal);
        await bob.PublishAsync("adas.a", "not his");
        Assert.Contains("adas.a", await bob.EventAsync("error"), StringComparison.Ordinal);
        await bob.PublishAsync("bobs.a", "his");

        Assert.Equal("his", (await ada.ReadAsync("a")).PayloadText);
        Assert.NotEmpty(await NatsSession.RefusalAsync(client, secure.Url, certificates.Client("mallory")));
        // The server's own certificate is signed by the authority too, but names no user.
        Assert.Matches("(?i)authorization", await NatsSession.RefusalAsync(client, secure.Url, certificates.Client("server")));
    }

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task Credentials_are_asked_for_inside_tls(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(
            server, $"tls {{ {certificates.ServerKeys} }}\nauthorization {{ user: ada, password: plain }}\n");

        await using NatsSession session = await NatsSession.ConnectAsync(client, secure.Url, certificates.Trust, "user=ada", "pass=plain");
        await session.RoundTripAsync();
        Assert.Contains(
            "authorization", await NatsSession.RefusalAsync(client, secure.Url, certificates.Trust, "user=ada", "pass=wrong"),
            StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [MemberData(nameof(Combinations.WithTls), MemberType = typeof(Combinations))]
    public async Task A_client_reconnects_over_tls(string client, string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $"tls {{ {certificates.ServerKeys}, verify: true }}\n");
        await using NatsSession session = await NatsSession.ConnectAsync(client, secure.Url, certificates.Client("bob"));
        await session.SubscribeAsync("a", "subject");

        await secure.KillAsync();
        await secure.StartAgainAsync();
        await session.EventAsync("reconnected");

        await session.PublishAsync("subject", "again");
        Assert.Equal("again", (await session.ReadAsync("a")).PayloadText);
    }

    public static TheoryData<string> ServersWithTls { get; } = [.. Combinations.ServersWithTls];

    [Theory]
    [MemberData(nameof(ServersWithTls))]
    public async Task A_connection_that_speaks_in_clear_is_told_of_tls_and_closed(string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $"tls {{ {certificates.ServerKeys} }}\n");
        using RawConnection plain = await RawConnection.OpenAsync(secure.Port);

        await plain.SendAsync("CONNECT {\"verbose\":true}\r\nPING\r\n");

        string text = await plain.ReadToCloseAsync();
        Assert.StartsWith("INFO ", text, StringComparison.Ordinal);
        Assert.Contains("\"tls_required\":true", text, StringComparison.Ordinal);
        Assert.DoesNotContain("PONG", text, StringComparison.Ordinal);
        Assert.DoesNotContain("+OK", text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(ServersWithTls))]
    public async Task A_connection_that_begins_no_handshake_is_closed_in_time(string server)
    {
        await using ConfiguredServer secure = await ConfiguredServer.StartAsync(server, $"tls {{ {certificates.KeysWithTimeout("0.3")} }}\n");
        using RawConnection silent = await RawConnection.OpenAsync(secure.Port);

        Assert.StartsWith("INFO ", await silent.ReadToCloseAsync(), StringComparison.Ordinal);
    }
}
