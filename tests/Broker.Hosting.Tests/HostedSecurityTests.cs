using System.Text;
using System.Text.RegularExpressions;
using Broker.Bridge;
using Broker.Cryptography;
using Broker.ZeroMq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests;

/// <summary>
/// The security of a bridge's routes in the configuration of a host: keys and passwords in files, and admitted
/// programs.
/// </summary>
public sealed partial class HostedSecurityTests : IDisposable
{
    private const string Route = "ZeroMqBridge:Routes:logs:";
    private const string Other = "ZeroMqBridge:Routes:other:";
    private const string Secret = "a-password-that-nobody-shows";

    private readonly CurveCryptography _curve = new();
    private readonly CurveKeyPair _bridge;
    private readonly CurveKeyPair _program;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("keys-");

    public HostedSecurityTests() => (_bridge, _program) = (CurveKeyPair.Generate(_curve), CurveKeyPair.Generate(_curve));

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task A_CURVE_server_carries_what_the_clients_of_its_file_send_and_turns_others_away()
    {
        await using TestHost host = await StartAsync(
            Bound, ("Mechanism", "curve"), ("Role", "server"), ("SecretKeyFile", FileOf(_bridge)), ("Clients", FileWith($"{_program.PublicKey} program\n")));

        Assert.Equal("CURVE server", Logs(host).Security);
        await AssertCarriesAsync(
            host,
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveClient(_program, _bridge.PublicKey) },
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveClient(CurveKeyPair.Generate(_curve), _bridge.PublicKey) });
    }

    [Fact]
    public async Task A_CURVE_server_without_a_list_admits_who_knows_its_key()
    {
        await using TestHost host = await StartAsync(Bound, ("Mechanism", "CURVE"), ("Role", "Server"), ("SecretKeyFile", FileOf(_bridge)));

        await AssertCarriesAsync(
            host,
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveClient(CurveKeyPair.Generate(_curve), _bridge.PublicKey) },
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveClient(_program, _program.PublicKey) });
    }

    [Fact]
    public async Task A_PLAIN_server_carries_what_the_users_of_its_file_send_and_turns_others_away()
    {
        await using TestHost host = await StartAsync(Bound, ("Mechanism", "plain"), ("Role", "server"), ("UsersFile", FileWith($"# people\nada:{Secret}\n")));

        Assert.Equal("PLAIN server", Logs(host).Security);
        await AssertCarriesAsync(
            host,
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.PlainClient("ada", Secret) },
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.PlainClient("ada", "guess") });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_CURVE_client_comes_to_programs_that_are_servers_with_its_key_or_a_new_one(bool ownKey)
    {
        var programs = new ZeroMqSocketOptions
        {
            Security = ZeroMqSecurity.CurveServer(_program),
            Authenticate = shown => ValueTask.FromResult(
                (shown.PublicKey?.Equals(_bridge.PublicKey) ?? false) == ownKey ? ZeroMqAdmission.Admit() : ZeroMqAdmission.Refuse("unknown")),
        };
        (string, string)[] keys = [("ServerKeyFile", FileWith(_program.PublicKey.ToString())), .. ownKey ? [("SecretKeyFile", FileOf(_bridge))] : Array.Empty<(string, string)>()];

        await AssertReachesAsync(programs, [("Mechanism", "curve"), ("Role", "client"), .. keys]);
    }

    [Fact]
    public async Task A_PLAIN_client_comes_to_programs_that_are_servers()
    {
        var programs = new ZeroMqSocketOptions
        {
            Security = ZeroMqSecurity.PlainServer,
            Authenticate = shown => ValueTask.FromResult((shown.Username, shown.Password) == ("bridge", Secret) ? ZeroMqAdmission.Admit() : ZeroMqAdmission.Refuse("unknown")),
        };

        await AssertReachesAsync(programs, [("Mechanism", "plain"), ("Role", "client"), ("User", "bridge"), ("PasswordFile", FileWith(Secret + "\r\n"))]);
    }

    [Fact]
    public async Task What_the_bridge_has_is_for_all_routes_that_say_nothing_else()
    {
        await using TestHost host = await StartAsync(
        [
            .. Bound(),
            (Other + "Pattern", "worker"), (Other + "Subject", "a"), (Other + "Endpoint", "tcp://127.0.0.1:*"), (Other + "Security:Mechanism", "null"),
            ("ZeroMqBridge:Security:Mechanism", "plain"), ("ZeroMqBridge:Security:Role", "server"), ("ZeroMqBridge:Security:UsersFile", FileWith($"ada:{Secret}")),
        ]);

        Assert.Equal("PLAIN server", Logs(host).Security);
        Assert.Equal("NULL", host.Services.GetRequiredService<ZeroMqBridge>().Snapshot()["other"]!.Security);
    }

    [Fact]
    public async Task A_reload_takes_what_a_file_holds_now_and_leaves_a_route_whose_files_are_as_they_were()
    {
        string users = FileWith("ada:old");
        (string, string)[] settings =
        [
            .. Bound(), .. Secured(Route, ("Mechanism", "plain"), ("Role", "server"), ("UsersFile", users)),
            (Other + "Pattern", "worker"), (Other + "Subject", "a"), (Other + "Endpoint", "tcp://127.0.0.1:*"),
            .. Secured(Other, ("Mechanism", "curve"), ("Role", "client"), ("ServerKeyFile", FileWith(_program.PublicKey.ToString()))),
        ];
        await using TestHost host = await StartAsync(settings);
        await File.WriteAllTextAsync(users, $"ada:{Secret}", TestContext.Current.CancellationToken);
        host.Change();

        await Wait.UntilAsync(() => host.Log.Has("[18]") || host.Log.Has("[19]"), () => host.Log.Text);
        Assert.True(host.Log.Has("were reloaded: 1 started, 0 ended"), host.Log.Text);
        await AssertCarriesAsync(
            host,
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.PlainClient("ada", Secret) },
            new ZeroMqSocketOptions { Security = ZeroMqSecurity.PlainClient("ada", "old") });
    }

    [Theory]
    [InlineData("Mechanism", "Role=server", "it must be null, plain or curve.")]
    [InlineData("Mechanism", "Mechanism=gssapi;Role=server", "it must be null, plain or curve.")]
    [InlineData("Role", "Mechanism=curve;SecretKeyFile=x", "the mechanism curve needs the bridge's role: server or client.")]
    [InlineData("Role", "Mechanism=plain;Role=both", "the mechanism plain needs the bridge's role: server or client.")]
    [InlineData("Role", "Mechanism=null;Role=server", "the mechanism null has no roles: remove the key.")]
    [InlineData("SecretKeyFile", "Mechanism=curve;Role=server", "it is required: a file with the bridge's secret key.")]
    [InlineData("SecretKeyFile", $"Mechanism=curve;Role=server;SecretKeyFile={Secret}", "its value is not a file with the bridge's secret key (there is no such file).")]
    [InlineData("ServerKeyFile", "Mechanism=curve;Role=client", "it is required: a file with the server's public key.")]
    [InlineData("UsersFile", "Mechanism=plain;Role=server", "it is required: a file with lines of user:password.")]
    [InlineData("UsersFile", $"Mechanism=plain;Role=server;UsersFile=*{Secret}", "\"*\" is not a file with lines of user:password (its line 1 is not user:password).")]
    [InlineData("Clients", $"Mechanism=null;Clients={Secret}", "Security has no such key; it has Mechanism, Role.")]
    [InlineData("User", $"Mechanism=plain;Role=client;PasswordFile=*{Secret}", "a PLAIN client needs it.")]
    [InlineData("PasswordFile", "Mechanism=plain;Role=client;User=ada", "it is required: a file with a password.")]
    public async Task A_start_names_the_key_that_is_wrong_and_shows_no_secret(string key, string security, string problem)
    {
        string file = "";
        (string, string)[] said =
        [
            .. security.Split(';').Select(pair => pair.Split('=')).Select(pair => (pair[0], pair[1].StartsWith('*') ? file = FileWith(pair[1][1..]) : pair[1])),
        ];

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(Bound, said));

        Assert.Equal($"{Route}Security:{key}: {problem.Replace("\"*\"", $"\"{file}\"", StringComparison.Ordinal)}", Assert.Single(refused.Failures));
        Assert.DoesNotContain(Secret, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CURVE_in_a_host_that_has_no_cryptography_is_refused_with_what_it_needs()
    {
        (string, string)[] settings = [.. Bound(), .. Secured(Route, ("Mechanism", "curve"), ("Role", "server"), ("SecretKeyFile", FileOf(_bridge)))];

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => TestHost.StartAsync(
            static services => services.AddBroker(static settings => settings.InProcessOnly = true).AddZeroMqBridge(), settings));

        Assert.Equal($"{Route}Security:Mechanism: CURVE needs a service ICurveCryptography, such as CurveCryptography of Broker.Cryptography.", Assert.Single(refused.Failures));
    }

    [Fact]
    public async Task Security_as_it_is_printed_starts_a_bridge()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "hosting.md"));
        string json = Json().Matches(page).Select(static match => match.Groups[1].Value).Single(static text => text.Contains("\"Security\"", StringComparison.Ordinal));
        await File.WriteAllTextAsync(Path.Combine(_folder.FullName, "program.key"), _program.PublicKey.ToString(), TestContext.Current.CancellationToken);
        json = Port().Replace(json, "127.0.0.1:*").Replace("/etc/broker/bridge.key_secret", FileOf(_bridge), StringComparison.Ordinal)
            .Replace("/etc/broker/clients", _folder.FullName, StringComparison.Ordinal).Replace("/etc/broker/users", FileWith("ada:word"), StringComparison.Ordinal);
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(json));
        await using TestHost host = await StartAsync(
            [.. new ConfigurationBuilder().AddJsonStream(stream).Build().AsEnumerable().Where(pair => pair.Value is not null).Select(pair => (pair.Key, pair.Value!))]);

        BridgeSnapshot bridge = host.Services.GetRequiredService<ZeroMqBridge>().Snapshot();
        Assert.Equal(("CURVE server", "PLAIN server"), (bridge["events"]!.Security, bridge["commands"]!.Security));
    }

    [Fact]
    public async Task Security_that_is_for_no_route_is_refused()
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(("ZeroMqBridge:Security:Mechanism", "null")));

        Assert.Equal("ZeroMqBridge:Security: no route uses it.", Assert.Single(refused.Failures));
    }

    private static (string, string)[] Bound()
        => [(Route + "Pattern", "pushpull"), (Route + "Subject", "logs"), (Route + "Pushers", "tcp://127.0.0.1:*"), (Route + "Pullers", "tcp://127.0.0.1:*")];

    private static (string, string)[] Secured(string route, params (string Key, string Value)[] security) => [.. security.Select(pair => ($"{route}Security:{pair.Key}", pair.Value))];

    private static Task<TestHost> StartAsync(Func<(string, string)[]> route, params (string, string)[] security) => StartAsync([.. route(), .. Secured(Route, security)]);

    private static Task<TestHost> StartAsync(params (string Key, string Value)[] settings) => TestHost.StartAsync(
        static services =>
        {
            services.AddSingleton<ICurveCryptography, CurveCryptography>();
            services.AddBroker(static settings => settings.InProcessOnly = true).AddZeroMqBridge();
        },
        settings);

    private static PushPullRouteSnapshot Logs(TestHost host) => Assert.IsType<PushPullRouteSnapshot>(host.Services.GetRequiredService<ZeroMqBridge>().Snapshot()["logs"]);

    private static async Task AssertCarriesAsync(TestHost host, ZeroMqSocketOptions friend, ZeroMqSocketOptions stranger)
    {
        await using var push = new PushSocket(friend);
        await using var pull = new PullSocket(friend);
        await using var strange = new PushSocket(stranger with { Linger = TimeSpan.Zero });
        strange.Connect(Logs(host).PusherEndpoints[0]);
        await strange.SendAsync("not this", TestContext.Current.CancellationToken);
        await Wait.UntilAsync(() => host.Log.Has("[103]") || host.Log.Has("[107]"), () => host.Log.Text);
        pull.Connect(Logs(host).PullerEndpoints[0]);
        push.Connect(Logs(host).PusherEndpoints[0]);
        await push.SendAsync("one", TestContext.Current.CancellationToken);

        Assert.True(pull.TryReceiveString(out string? text, Wait.Limit));
        Assert.Equal("one", text);
        await Wait.UntilAsync(() => Logs(host) is { Accepted: 1, Pushers: 1 }, () => $"{Logs(host)}");
    }

    private static async Task AssertReachesAsync(ZeroMqSocketOptions programs, (string, string)[] security)
    {
        await using var push = new PushSocket(programs);
        await using var pull = new PullSocket(programs);
        (string, string)[] connected =
        [
            (Route + "Pattern", "pushpull"), (Route + "Subject", "logs"),
            (Route + "Pushers", $"connect {push.Bind("tcp://127.0.0.1:*")}"), (Route + "Pullers", $"connect {pull.Bind("tcp://127.0.0.1:*")}"),
        ];
        await using TestHost host = await StartAsync([.. connected, .. Secured(Route, security)]);
        await push.SendAsync("one", TestContext.Current.CancellationToken);

        Assert.True(pull.TryReceiveString(out string? text, Wait.Limit));
        Assert.Equal("one", text);
    }

    private string FileOf(CurveKeyPair keys) => FileWith($"curve\n    public-key = \"{keys.PublicKey}\"\n    secret-key = \"{keys.ExportSecretKey()}\"\n");

    private string FileWith(string text)
    {
        string file = Path.Combine(_folder.FullName, Path.GetRandomFileName());
        File.WriteAllText(file, text);
        return file;
    }

    [GeneratedRegex("```json\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Json();

    [GeneratedRegex(@"(127\.0\.0\.1|\*):\d+")]
    private static partial Regex Port();
}
