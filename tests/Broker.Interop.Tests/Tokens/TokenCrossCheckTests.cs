using System.Globalization;
using System.Text.Json.Nodes;
using Broker.Client;
using Broker.Cryptography;
using Broker.Interop.Tests.Harness;
using Broker.Server;

namespace Broker.Interop.Tests.Tokens;

/// <summary>
/// Checks that the reference libraries of JWTs, in Go and JavaScript, read the tokens of <c>broker auth</c> and of the
/// tests, and that the server accepts theirs.
/// </summary>
public sealed class TokenCrossCheckTests : IDisposable
{
    private static readonly INatsPeers[] Libraries = [Peers.NatsGo, Peers.NatsJs];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("broker-tokens-");

    public static TheoryData<string> Names => [.. Libraries.Select(static l => l.Name)];

    private string Store => Path.Combine(_folder.FullName, "auth");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_library_reads_what_broker_auth_writes(string library)
    {
        await RunAsync("init", "ACME – Süd", "--expires", "5y");
        await RunAsync("add", "account", "PLANT", "--conns", "10", "--disk-storage", "1GB", "--allow-pub", "x", "--tag", "a:b");
        await RunAsync("add", "key", "--role", "sensor", "--allow-pub", "plant.{{tag(site)}}.>", "--allow-responses", "2", "--account", "PLANT");
        await RunAsync("add", "user", "pump", "--allow-pub", "plant.>,b", "--deny-sub", ">", "--source-network", "192.0.2.0/24", "--time", "08:00:00-18:00:00", "--out", In("pump.creds"));
        await RunAsync("add", "user", "meter", "--key", "sensor", "--tag", "site:oslo", "--expires", "30d", "--out", In("meter.creds"));
        await RunAsync("add", "account", "OFFICE");
        await RunAsync("add", "export", "plant.*", "--account", "PLANT", "--private", "--response-type", "Stream", "--type", "service");
        await RunAsync("add", "export", "orders.*", "--account", "PLANT", "--token-position", "2");
        await RunAsync("add", "import", "plant.a", "--account", "OFFICE", "--from", "PLANT", "--local", "works");
        await RunAsync("add", "activation", "plant.*", "--account", "PLANT", "--to", "OFFICE", "--expires", "30d", "--out", Path.Combine(Store, "office.jwt"));
        await RunAsync("revoke", "user", "*", "--account", "PLANT");
        string[] tokens = [.. Directory.GetFiles(Store, "*.jwt", SearchOption.AllDirectories)];
        await using PeerProcess peer = await StartAsync(library);

        Assert.Equal(7, tokens.Length);
        foreach (string file in tokens)
        {
            string token = (await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken)).Trim();
            JsonObject claims = JwtSigner.Read(token);
            JsonObject read = await AskAsync(peer, $"check {token}");
            Assert.Equal(
                $"{claims["nats"]!["type"]} {claims["sub"]} {claims["iss"]} {claims["name"]}",
                $"{read["kind"]} {read["sub"]} {read["iss"]} {read["name"]} {read["error"]}".TrimEnd());
        }

        foreach (string name in (string[])["pump", "meter"])
        {
            JsonObject read = await AskAsync(peer, $"file {In(name + ".creds")}");
            Assert.Equal(read["sub"]?.ToString(), read["key"]?.ToString());
            Assert.Equal(name == "pump" ? "plant.>,b" : null, read["allow"]?.ToString());
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_library_reads_what_the_tests_mint(string library)
    {
        var site = new JwtSite();
        var user = JwtKey.ForUser();
        await using PeerProcess peer = await StartAsync(library);

        foreach ((string kind, string token) in ((string, string)[])
            [("operator", site.OperatorJwt()), ("account", site.AccountJwt(site.Account)), ("user", site.UserJwt(user))])
        {
            JsonObject read = await AskAsync(peer, $"check {token}");
            Assert.Equal(kind, read["kind"]?.ToString());
        }

        JsonObject changed = await AskAsync(peer, $"check {site.UserJwt(user)[..^8]}AAAAAAAA");
        Assert.NotNull(changed["error"]);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task The_server_accepts_what_a_library_makes(string library)
    {
        await using PeerProcess peer = await StartAsync(library);
        JsonObject made = await AskAsync(peer, "mint");
        await using BrokerServer server = await BrokerServer.StartAsync(
            options =>
            {
                options.UseCryptography().Listen(0);
                options.AuthTimeout = Wait.Limit;
                options.Operator = new OperatorOptions
                {
                    Operators = [made["operator"]!.ToString()],
                    Accounts = new Dictionary<string, string>(StringComparer.Ordinal) { [made["key"]!.ToString()] = made["account"]!.ToString() },
                };
            },
            TestContext.Current.CancellationToken);

        foreach (string user in (string[])["user", "scoped"])
        {
            string file = In(user + ".creds");
            await File.WriteAllTextAsync(file, made[user]!.ToString(), TestContext.Current.CancellationToken);
            var credentials = UserCredentials.Load(file);
            var errors = new List<string>();
            var options = new ClientOptions
            {
                Servers = [string.Create(CultureInfo.InvariantCulture, $"nats://{server.EndPoints[0]}")],
                Nkey = credentials.PublicKey,
                Jwt = () => credentials.Jwt,
                Sign = credentials.Sign,
                ConnectTimeout = Wait.Limit,
                OnServerError = (_, text) => errors.Add(text),
            };
            await using BrokerConnection connection = await BrokerConnection.ConnectAsync(options, TestContext.Current.CancellationToken);
            connection.Publish("plant.a", "x"u8);
            connection.Publish("other", "x"u8);
            await connection.FlushAsync(TestContext.Current.CancellationToken);
            Assert.Equal(["Permissions Violation for Publish to \"other\""], errors);
        }
    }

    private static async Task<PeerProcess> StartAsync(string library)
    {
        PeerProcess peer = await Array.Find(Libraries, l => l.Name == library)!.StartAsync("jwt_check");
        Assert.Equal("READY", await peer.ReadLineAsync());
        return peer;
    }

    private static async Task<JsonObject> AskAsync(PeerProcess peer, string line)
    {
        await peer.WriteLineAsync(line);
        return (JsonObject)JsonNode.Parse(await peer.ReadLineAsync())!;
    }

    private string In(string file) => Path.Combine(_folder.FullName, file);

    private async Task RunAsync(params string[] args)
    {
        string[] command = BrokerProgram.Command;
        (int exitCode, string text) = await Programs.RunAsync(command[0], null, [.. command[1..], "auth", .. args, "--store", Store]);
        Assert.True(exitCode == 0, text);
    }
}
