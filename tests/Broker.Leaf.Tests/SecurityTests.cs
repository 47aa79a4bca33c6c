using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Cryptography;
using Broker.Leaf.Tests.Support;
using Broker.Server;
using Broker.Transport;
using NATS.Client.Core;

namespace Broker.Leaf.Tests;

/// <summary>TLS, WebSockets and keys of a link.</summary>
public sealed class SecurityTests
{
    private static readonly TestCertificates Certificates = TestCertificates.Common;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Versions => HubVersion.All;

    private static ClientTlsOptions Trusting => new() { AuthorityFile = Certificates.AuthorityFile };

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task TLS_starts_after_INFO_if_the_hub_requires_it(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(
            version, leafKeys: $"tls {{ {Certificates.PatientServerKeys} }}", change: static r => r with { Tls = Trusting, TlsTimeout = Wait.Limit });

        await site.CheckAsync();
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_hub_that_verifies_accepts_the_client_certificate(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(
            version,
            leafKeys: $"tls {{ {Certificates.PatientServerKeys} verify: true }}",
            change: static r => r with
            {
                Tls = Trusting with { CertificateFile = Certificates.ClientCertificateFile, KeyFile = Certificates.ClientKeyFile },
                TlsTimeout = Wait.Limit,
            });

        await site.CheckAsync();
    }

    [Fact]
    public async Task Handshake_first_starts_TLS_before_INFO()
    {
        await using LeafSite site = await LeafSite.StartAsync(
            NewerNatsServers.Sid,
            leafKeys: $"tls {{ {Certificates.PatientServerKeys} handshake_first: true }}",
            change: static r => r with { Tls = Trusting with { HandshakeFirst = true }, TlsTimeout = Wait.Limit });

        await site.CheckAsync();
    }

    [Fact]
    public async Task A_hub_of_an_unknown_authority_is_refused()
        => await FailAsync($"tls {{ {Certificates.PatientServerKeys} }}", new ClientTlsOptions(), "TLS failed");

    [Fact]
    public async Task A_hub_that_verifies_refuses_a_link_without_a_certificate()
        => await FailAsync($"tls {{ {Certificates.PatientServerKeys} verify: true }}", Trusting, "TLS failed: the remote requires a client certificate");

    [Fact]
    public async Task A_link_that_requires_TLS_does_not_send_its_password_without_it()
        => await FailAsync("", Trusting, "the remote does not offer TLS");

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_link_over_a_WebSocket_passes_messages(bool isSecure)
    {
        int port = FreePort.Next();
        string tls = isSecure ? $"tls {{ {Certificates.PatientServerKeys} }}" : "no_tls: true";
        await using LeafSite site = await LeafSite.StartAsync(
            hubConfiguration: string.Create(CultureInfo.InvariantCulture, $"websocket {{ host: 127.0.0.1, port: {port}, {tls} }}"),
            change: r => r with
            {
                Urls = [string.Create(CultureInfo.InvariantCulture, $"{(isSecure ? "wss" : "ws")}://127.0.0.1:{port}")],
                Tls = isSecure ? Trusting : null,
                DialTimeout = Wait.Limit,
            });

        await site.CheckAsync();
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_link_signs_the_nonce_with_an_nkey(string version)
    {
        using var folder = new KeyFolder();
        var keys = UserCredentials.Generate();
        string seed = folder.Write("edge.nk", keys.ExportSeed());
        await using LeafSite site = await LeafSite.StartAsync(
            version,
            hubConfiguration: $"authorization {{ users: [ {{ nkey: {keys.PublicKey} }}, {{ user: u, password: p }} ] }}",
            change: r => r with { Credentials = new KeySource(seed) });

        await site.CheckAsync("u:p");
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task The_hub_reports_an_expired_JWT_and_a_new_one_is_used(string version)
    {
        using var folder = new KeyFolder();
        var keys = new JwtKeys();
        string file = folder.Write("edge.creds", keys.Credentials(TimeSpan.FromSeconds(3)));
        int port = FreePort.Next();
        using NatsServer hub = LeafSite.StartHub(version, port, keys.HubConfiguration);
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        var log = new CountingLog();
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(port)], Credentials = new KeySource(file) }],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
            Logger = log,
        });

        // A busy machine may need longer than the JWT lasts.
        await Wait.UntilAsync(() => log.Texts.Any(static t => t.Contains("User Authentication Expired", StringComparison.OrdinalIgnoreCase)), () => string.Join('\n', log.Texts));
        folder.Write("edge.creds", keys.Credentials(TimeSpan.FromHours(1)));
        await Wait.UntilAsync(() => leaf.Remotes[0].IsConnected, () => leaf.Remotes[0].ToString());
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task The_hub_ends_the_link_of_a_revoked_JWT_and_a_new_one_is_used(string version)
    {
        using var folder = new KeyFolder();
        var keys = new JwtKeys();
        string file = folder.Write("edge.creds", keys.Credentials(TimeSpan.FromHours(1), age: TimeSpan.FromMinutes(2)));
        int port = FreePort.Next();
        using NatsServer hub = LeafSite.StartHub(version, port, keys.HubConfiguration);
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        var log = new CountingLog();
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(port)], Credentials = new KeySource(file) }],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
            Logger = log,
        });
        await Wait.UntilAsync(() => leaf.Remotes[0].IsConnected, () => leaf.Remotes[0].ToString());

        await using var system = new NatsConnection(new NatsOpts { Url = hub.Url, AuthOpts = new NatsAuthOpts { CredsFile = folder.Write("system.creds", keys.SystemCredentials()) } });
        await system.RequestAsync<string, string>(keys.UpdateSubject, keys.RevokingAccount(age: TimeSpan.FromMinutes(1)), cancellationToken: Ended);

        await Wait.UntilAsync(() => log.Texts.Any(static t => t.Contains("User Authentication Revoked", StringComparison.OrdinalIgnoreCase)), () => string.Join('\n', log.Texts));
        await Wait.UntilAsync(() => log.Texts.Any(static t => t.Contains("Authorization Violation", StringComparison.OrdinalIgnoreCase)), () => string.Join('\n', log.Texts));
        Assert.False(leaf.Remotes[0].IsConnected);
        folder.Write("edge.creds", keys.Credentials(TimeSpan.FromHours(1)));
        await Wait.UntilAsync(() => leaf.Remotes[0].IsConnected, () => leaf.Remotes[0].ToString());
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Two_accounts_with_two_links_exchange_nothing(string version)
    {
        int port = FreePort.Next();
        using NatsServer hub = LeafSite.StartHub(
            version,
            port,
            "accounts { A { users: [ { user: a, password: p } ] }, B { users: [ { user: b, password: p } ] } }",
            "authorization { users: [ { user: a, password: s, account: A }, { user: b, password: s, account: B } ] }");
        await using BrokerServer edge = await BrokerServer.StartAsync(
            new BrokerServerOptions { Accounts = [new AccountOptions("A") { Users = [new User("a", "p")] }, new AccountOptions("B") { Users = [new User("b", "p")] }] }, Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(port, "a:s")], Account = "A" }, new LeafRemoteOptions { Urls = [LeafSite.Url(port, "b:s")], Account = "B" }],
        });
        await Wait.UntilAsync(() => leaf.Remotes.All(static r => r.IsConnected), () => string.Join('\n', leaf.Remotes));
        var received = new Dictionary<string, QueuedSubscription>(StringComparer.Ordinal);
        var connections = new Dictionary<string, BrokerConnection>(StringComparer.Ordinal);
        foreach (string user in new[] { "a", "b" })
        {
            connections["edge " + user] = await BrokerConnection.ConnectAsync(edge.CreateDialer(user), cancellationToken: Ended);
            connections["hub " + user] = await BrokerConnection.ConnectAsync(hub.Url.Replace("//", $"//{user}:p@", StringComparison.Ordinal), Ended);
        }

        foreach ((string name, BrokerConnection connection) in connections)
        {
            received[name] = connection.SubscribeQueued("m");
        }

        await HubSite.SettleAsync(connections["edge a"], connections["hub a"]);
        await HubSite.SettleAsync(connections["edge b"], connections["hub b"]);
        foreach ((string name, BrokerConnection connection) in connections)
        {
            connection.Publish("m", Encoding.UTF8.GetBytes(name));
        }

        await HubSite.SettleAsync(connections["edge a"], connections["hub a"]);
        await HubSite.SettleAsync(connections["edge b"], connections["hub b"]);
        foreach ((string name, QueuedSubscription subscription) in received)
        {
            var bodies = new SortedSet<string>(StringComparer.Ordinal);
            while (subscription.Reader.TryRead(out Message message))
            {
                bodies.Add(Encoding.UTF8.GetString(message.Body.Span));
            }

            Assert.Equal([$"edge {name[^1]}", $"hub {name[^1]}"], bodies);
        }

        foreach (BrokerConnection connection in connections.Values)
        {
            await connection.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_token_of_the_address_is_sent()
    {
        await using LeafSite site = await LeafSite.StartAsync(hubConfiguration: "authorization { token: s3cret }", userInfo: "s3cret");

        await site.CheckAsync("s3cret");
    }

    [Fact]
    public async Task A_credentials_file_is_read_anew_at_each_connect()
    {
        using var folder = new KeyFolder();
        var keys = UserCredentials.Generate();
        string file = folder.Write("edge.creds", $"eyJ.first.x\n{keys.ExportSeed()}\n");
        await using var hub = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [hub.Url.Replace("//", "//user:password@", StringComparison.Ordinal)], Credentials = new KeySource(file) }],
            ReconnectDelay = TimeSpan.FromMilliseconds(10),
        });

        JsonElement first = Json(await hub.ShakeHandsAsync());
        folder.Write("edge.creds", $"eyJ.second.x\n{keys.ExportSeed()}\n");
        hub.Drop();
        JsonElement second = Json(await hub.ShakeHandsAsync());

        Assert.Equal("eyJ.first.x", first.GetProperty("jwt").GetString());
        Assert.Equal("eyJ.second.x", second.GetProperty("jwt").GetString());
        Assert.Equal(Convert.ToBase64String(keys.Sign(Encoding.UTF8.GetBytes(FakeHub.Nonce))).TrimEnd('=').Replace('+', '-').Replace('/', '_'), second.GetProperty("sig").GetString());
        Assert.False(second.TryGetProperty("user", out _));
        Assert.False(second.TryGetProperty("pass", out _));
        static JsonElement Json(string connect) => JsonDocument.Parse(connect["CONNECT ".Length..]).RootElement;
    }

    [Fact]
    public async Task A_credentials_file_that_cannot_be_read_is_reported_and_tried_again()
    {
        using var folder = new KeyFolder();
        string file = folder.Write("edge.creds", "nothing");
        await using var hub = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [hub.Url], Credentials = new KeySource(file) }],
            ReconnectDelay = TimeSpan.FromMilliseconds(10),
        });
        await Wait.UntilAsync(() => leaf.Remotes[0].LastError.Contains("it has no user seed", StringComparison.Ordinal), () => leaf.Remotes[0].LastError);

        folder.Write("edge.creds", UserCredentials.Generate().ExportSeed());

        await hub.ShakeHandsAsync();
    }

    private static async Task FailAsync(string leafKeys, ClientTlsOptions tls, string error)
    {
        int port = FreePort.Next();
        using NatsServer hub = LeafSite.StartHub(HubVersion.Installed, port, leafKeys: leafKeys);
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(port, "a:secret")], Tls = tls, TlsTimeout = Wait.Limit }],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
        });

        await Wait.UntilAsync(() => leaf.Remotes[0].LastError.StartsWith(error, StringComparison.Ordinal), () => leaf.Remotes[0].LastError);
        Assert.Equal(0, leaf.Remotes[0].Connects);
    }

    private sealed class KeyFolder : IDisposable
    {
        private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("leaf-keys-");

        internal string Write(string name, string text)
        {
            string file = Path.Combine(_folder.FullName, name);
            File.WriteAllText(file, text);
            return file;
        }

        public void Dispose() => _folder.Delete(recursive: true);
    }
}
