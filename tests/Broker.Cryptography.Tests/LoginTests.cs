using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using Broker.Server;
using Broker.Server.Tests.Harness;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Cryptography.Tests;

public sealed class LoginTests
{
    private const string Hash = "$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";
    private const string SlowHash = "$2b$10$abcdefghijklmnopqrstuuetMk.jX8Dxb.5mpl.d6Zu8CPQ6WtpGm";
    private const string Violation = "-ERR 'Authorization Violation'\r\n";

    // This is the public key of the seed 0, 1, … 31.
    private const string Key = "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK";
    private static readonly byte[] Seed = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    private static string As(string user, string password) => $$"""CONNECT {"verbose":false,"user":"{{user}}","pass":"{{password}}"}""" + "\r\n";

    [Fact]
    public async Task A_reload_with_the_same_settings_changes_nothing()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o => o.UseCryptography().Logger = log);

        await server.ReloadAsync(static o => o.CopyChangeableFrom(new BrokerServerOptions().UseCryptography()));

        Assert.Contains("Options reloaded: nothing changed", log.All);
    }

    [Fact]
    public async Task A_hashed_password_logs_in_and_later_commands_of_the_same_read_are_executed()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.UseCryptography().Users = [new User("a", Hash), new User("b", "plain")]);
        using var good = RawClient.Open(server, As("a", "secret") + "SUB x 1\r\nPUB x 1\r\nx\r\n");
        Assert.Equal("MSG x 1 1\r\nx\r\n", good.Sync());
        using var plain = RawClient.Open(server, As("b", "plain"));
        Assert.Equal("", plain.Sync());
        foreach ((string user, string password) in new[] { ("a", "Secret"), ("a", Hash), ("a", ""), ("b", "secret"), ("zz", "secret") })
        {
            using var bad = RawClient.Open(server, As(user, password) + "SUB x 1\r\n");
            Assert.Equal(Violation, bad.ReadToEnd());
        }
    }

    [Fact]
    public async Task A_hashed_token_logs_in()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.UseCryptography().Token = Hash);
        using var good = RawClient.Open(server, "CONNECT {\"verbose\":false,\"auth_token\":\"secret\"}\r\n");
        Assert.Equal("", good.Sync());
        using var bad = RawClient.Open(server, $"CONNECT {{\"auth_token\":\"{Hash}\"}}\r\n");
        Assert.Equal(Violation, bad.ReadToEnd());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_key_logs_in_with_its_signature_of_the_nonce(bool url)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.UseCryptography().Users = [User.WithKey(Key)]);
        var nonces = new HashSet<string>(StringComparer.Ordinal);
        string? replay = null;
        for (int i = 0; i < 8; i++)
        {
            using var client = new RawClient(server.EndPoints[0]);
            string nonce = Nonce(client.ReadLine());
            Assert.Equal(15, nonce.Length);
            Assert.True(nonces.Add(nonce));
            string connect = Connect(Key, nonce, url);
            client.Send(connect);
            Assert.Equal("", client.Sync());
            replay ??= connect;
        }

        using var again = RawClient.Open(server, replay!);
        Assert.Equal(Violation, again.ReadToEnd());
        using var unknown = new RawClient(server.EndPoints[0]);
        // The first client has an unknown key. The second one has a known key and another key's signature.
        string theirs = Nonce(unknown.ReadLine());
        unknown.Send(Connect("UCNGL4W5QX66CFX6A6DCBVDH5VOHMI7B2UZZU7TXAUQQSI2JPHULCKBR", theirs, url));
        Assert.Equal(Violation, unknown.ReadToEnd());
    }

    [Fact]
    public async Task A_flood_of_logins_delays_neither_clients_nor_the_logins_of_others()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.UseCryptography().Users = [new User("slow", SlowHash), new User("fast", "p")];
            o.AuthTimeout = TimeSpan.FromSeconds(20);
        });
        using var served = RawClient.Open(server, As("fast", "p"));
        served.Send("SUB x 1\r\n");
        served.Sync();
        RawClient[] flood = [.. Enumerable.Range(0, 60).Select(_ => RawClient.Open(server, As("slow", "wrong")))];
        for (int i = 0; i < 20; i++)
        {
            served.Send("PUB x 1\r\nx\r\n");
            Assert.Equal("MSG x 1 1\r\nx\r\n", served.Sync());
        }

        // This login needs no hash.
        using var other = RawClient.Open(server, As("fast", "p"));
        Assert.Equal("", other.Sync());
        Assert.Contains(flood, f => f.Socket.Available == 0);
        Array.ForEach(flood, f => f.Dispose());
    }

    private static string Nonce(string info)
    {
        using var json = JsonDocument.Parse(info["INFO ".Length..]);
        return json.RootElement.GetProperty("nonce").GetString()!;
    }

    private static string Connect(string key, string nonce, bool url)
    {
        byte[] signature = new byte[Ed25519.SignatureSize];
        byte[] message = Encoding.ASCII.GetBytes(nonce);
        Ed25519.Sign(Seed, 0, message, 0, message.Length, signature, 0);
        string text = url ? Base64Url.EncodeToString(signature) : Convert.ToBase64String(signature);
        return $$"""CONNECT {"verbose":false,"nkey":"{{key}}","sig":"{{text}}"}""" + "\r\n";
    }
}
