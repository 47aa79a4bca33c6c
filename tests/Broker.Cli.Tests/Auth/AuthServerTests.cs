using Broker.Client;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;

namespace Broker.Cli.Tests.Auth;

/// <summary>Tests that servers accept what <c>broker auth</c> makes: nats-server 2.15 and this one.</summary>
public sealed class AuthServerTests : IDisposable
{
    private readonly StoreFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Users_may_do_what_their_flags_and_roles_say(bool isStrict)
    {
        await FillAsync(isStrict ? ["--strict"] : []);
        string configuration = await _folder.RunAsync("show", "config");
        using var other = NatsServer.StartWithConfiguration(configuration, NewerNatsServers.Require(NewerNatsServers.Sid), []);
        string file = _folder.In("accounts.conf");
        await File.WriteAllTextAsync(file, configuration, TestContext.Current.CancellationToken);

        await CheckAsync(other.Url);
        await RealRun.WhileServingAsync(addresses => CheckAsync(addresses.Nats[0]), "-q", "-c", file, "-p", "-1");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pushed_account_counts_at_once_and_the_folder_of_the_server_can_be_listed(bool isOurs)
    {
        await _folder.FillAsync();
        string jwts = _folder.In("jwt");
        await _folder.RunAsync("add", "user", "pump", "--account", "PLANT", "--allow-pub", "plant.>");
        await WithFullResolverAsync(isOurs, jwts, async url =>
        {
            Assert.Contains("Authorization", await PublishAsync(url, "pump", "plant.a"), StringComparison.Ordinal);
            string said = await PushAsync(url);
            Assert.Contains("the server has account PLANT", said, StringComparison.Ordinal);
            Assert.Equal("", await PublishAsync(url, "pump", "plant.a"));
            Assert.Matches("account +PLANT +A", (await ShellRun.OfAsync("auth", "show", "--resolver", jwts)).Output);

            await _folder.RunAsync("revoke", "user", "pump");
            await PushAsync(url, "PLANT");
            Assert.Contains("Authorization", await PublishAsync(url, "pump", "plant.a"), StringComparison.Ordinal);
            await _folder.RunAsync("edit", "user", "pump");
            Assert.Equal("", await PublishAsync(url, "pump", "plant.a"));
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Accounts_share_subjects_until_an_activation_is_revoked(bool isOurs)
    {
        await FillTwoAsync();
        await WithFullResolverAsync(isOurs, _folder.In("jwt"), async url =>
        {
            await PushAsync(url);
            await using BrokerConnection board = await ConnectAsync(url, "board");
            await using BrokerConnection pump = await ConnectAsync(url, "pump");
            var received = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            board.Subscribe("alarms.>", (in m) => received.TrySetResult($"{m.ToMessage().Subject} {m.Text}"));
            pump.Subscribe("plant.valve", (in m) => m.Respond("closed"u8));
            await board.FlushAsync(TestContext.Current.CancellationToken);
            await pump.FlushAsync(TestContext.Current.CancellationToken);
            pump.Publish("plant.alarms.a", "hot"u8);

            Assert.Equal("alarms.a hot", await Wait.For(received.Task));
            Assert.Contains("closed", (await ShellRun.OfAsync("request", "-s", url, "--creds", _folder.In("board.creds"), "valve", "?", "--timeout", "2m")).Output, StringComparison.Ordinal);

            await _folder.RunAsync("revoke", "activation", "plant.valve", "--account", "PLANT", "--to", "OFFICE");
            await PushAsync(url, "PLANT");
            Assert.Contains("Nobody subscribes", (await ShellRun.OfAsync("request", "-s", url, "--creds", _folder.In("board.creds"), "valve", "?", "--timeout", "2m")).Error, StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task Each_server_accepts_a_file_with_accounts_that_share_subjects()
    {
        await FillTwoAsync();
        string file = _folder.In("accounts.conf");
        await File.WriteAllTextAsync(file, await _folder.RunAsync("show", "config"), TestContext.Current.CancellationToken);

        (int exitCode, string text) = await Programs.RunAsync(NewerNatsServers.Require(NewerNatsServers.Sid), null, ["-t", "-c", file]);
        Assert.True(exitCode == ExitCode.Success, text);
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("serve", "-t", "-c", file)).ExitCode);
    }

    private async Task FillTwoAsync()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "account", "OFFICE");
        await _folder.RunAsync("add", "export", "plant.alarms.*", "--account", "PLANT");
        await _folder.RunAsync("add", "export", "plant.valve", "--account", "PLANT", "--type", "service", "--private");
        await _folder.RunAsync("add", "import", "plant.alarms.*", "--account", "OFFICE", "--from", "PLANT", "--local", "alarms.*");
        await _folder.RunAsync("add", "import", "plant.valve", "--account", "OFFICE", "--from", "PLANT", "--local", "valve");
        await _folder.RunAsync("add", "user", "pump", "--account", "PLANT");
        await _folder.RunAsync("add", "user", "board", "--account", "OFFICE");
    }

    // The server starts with the system account only.
    private async Task WithFullResolverAsync(bool isOurs, string jwts, Func<string, Task> work)
    {
        string configuration = await _folder.RunAsync("show", "config", "--resolver", "full", "--dir", jwts.Replace('\\', '/'));
        if (isOurs)
        {
            string file = _folder.In("full.conf");
            await File.WriteAllTextAsync(file, configuration, TestContext.Current.CancellationToken);
            await RealRun.WhileServingAsync(addresses => work(addresses.Nats[0]), "-q", "-c", file, "-p", "-1");
        }
        else
        {
            using var server = NatsServer.StartWithConfiguration(configuration, NewerNatsServers.Require(NewerNatsServers.Sid), []);
            await work(server.Url);
        }
    }

    [Fact]
    public async Task A_server_that_stores_no_accounts_is_reported()
    {
        await _folder.FillAsync();
        using var server = NatsServer.StartWithConfiguration(await _folder.RunAsync("show", "config"), NewerNatsServers.Require(NewerNatsServers.Sid), []);

        (int exitCode, string output, string error) = await _folder.EndAsync("push", "PLANT", "-s", server.Url, "--timeout", "2m");

        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Contains("account PLANT is not accepted: the server stores no accounts", error, StringComparison.Ordinal);
    }

    private async Task FillAsync(string[] flags)
    {
        await _folder.FillAsync(flags);
        await _folder.RunAsync("add", "key", "--account", "PLANT", "--role", "sensor", "--allow-pub", "plant.{{tag(site)}}.>", "--deny-sub", ">");
        await _folder.RunAsync("add", "user", "pump", "--account", "PLANT", "--allow-pub", "plant.>", "--deny-sub", ">", "--expires", "30d");
        await _folder.RunAsync("add", "user", "meter", "--account", "PLANT", "--key", "sensor", "--tag", "site:oslo");
        await _folder.RunAsync("add", "user", "board", "--account", "PLANT", "--allow-sub", "plant.>", "--deny-pub", ">");
        await _folder.RunAsync("add", "user", "away", "--account", "PLANT", "--source-network", "192.0.2.0/24");
    }

    private async Task CheckAsync(string url)
    {
        Assert.Equal("", await PublishAsync(url, "pump", "plant.a"));
        Assert.Contains("Permissions Violation", await PublishAsync(url, "pump", "other"), StringComparison.Ordinal);
        Assert.Equal("", await PublishAsync(url, "meter", "plant.oslo.a"));
        Assert.Contains("Permissions Violation", await PublishAsync(url, "meter", "plant.rome.a"), StringComparison.Ordinal);
        Assert.Contains("Permissions Violation", await PublishAsync(url, "board", "plant.a"), StringComparison.Ordinal);
        Assert.Contains("Authorization Violation", await PublishAsync(url, "away", "plant.a"), StringComparison.Ordinal);
        await using BrokerConnection board = await ConnectAsync(url, "board");
        await using BrokerConnection pump = await ConnectAsync(url, "pump");
        var received = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        board.Subscribe("plant.>", (in m) => received.TrySetResult(m.Text));
        await board.FlushAsync(TestContext.Current.CancellationToken);
        pump.Publish("plant.b", "4 bar"u8);
        Assert.Equal("4 bar", await Wait.For(received.Task));
    }

    private Task<BrokerConnection> ConnectAsync(string url, string user)
        => BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [url], Nkey = _folder.Credentials(user).PublicKey, Jwt = () => _folder.Credentials(user).Jwt, Sign = _folder.Credentials(user).Sign, ConnectTimeout = Wait.Limit },
            TestContext.Current.CancellationToken);

    // Returns what the command complains about.
    private async Task<string> PublishAsync(string url, string user, string subject)
        => (await ShellRun.OfAsync("pub", "-s", url, "--creds", _folder.In(user + ".creds"), subject, "x")).Error;

    private async Task<string> PushAsync(string url, params string[] accounts)
        => await _folder.RunAsync(["push", .. accounts, "-s", url, "--timeout", "2m"]);
}
