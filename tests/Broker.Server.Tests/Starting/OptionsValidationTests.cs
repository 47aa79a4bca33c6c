using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Starting;

/// <summary>Invalid options are refused by name before anything is started.</summary>
public sealed class OptionsValidationTests
{
    public static TheoryData<string, Action<BrokerServerOptions>> Mistakes => new()
    {
        { "MaxPayload", o => o.MaxPayload = 0 },
        { "MaxPayload", o => o.MaxPayload = int.MaxValue },
        { "MaxControlLine", o => o.MaxControlLine = 63 },
        { "MaxControlLine", o => o.MaxControlLine = int.MaxValue },
        { "MaxPending", o => o.MaxPending = 1 },
        { "MaxPendingTotal", o => o.MaxPendingTotal = -1 },
        { "MaxPendingTotal", o => o.MaxPendingTotal = 1 },
        { "SlowConsumers", o => o.SlowConsumers = (SlowConsumerPolicy)7 },
        { "SlowConsumers", o => o.SlowConsumers = (SlowConsumerPolicy)(-1) },
        { "MaxSubscriptions", o => o.MaxSubscriptions = -1 },
        { "MaxSubscriptionTokens", o => o.MaxSubscriptionTokens = -1 },
        { "MaxSubscriptionTokens", o => o.MaxSubscriptionTokens = 256 },
        { "account 'A'", o => o.Accounts = [new AccountOptions("A") { MaxConnections = -1 }] },
        { "account 'A'", o => o.Accounts = [new AccountOptions("A") { MaxSubscriptions = -1 }] },
        { "account 'A'", o => o.Accounts = [new AccountOptions("A") { MaxPayload = -1 }] },
        { "SampleSubjects", o => o.SampleSubjects = -1 },
        { "SampleSubjects", o => o.SampleSubjects = 1_000_001 },
        { "TracedPayload", o => o.TracedPayload = -1 },
        { "MaxConnections", o => o.MaxConnections = 0 },
        { "PingInterval", o => o.PingInterval = TimeSpan.Zero },
        { "PingMax", o => o.PingMax = 0 },
        { "WriteDeadline", o => o.WriteDeadline = TimeSpan.Zero },
        { "AuthTimeout", o => o.AuthTimeout = TimeSpan.Zero },
        { "ClientAdvertise", o => o.ClientAdvertise = "nonsense" },
        { "ConnectUrls", o => o.ConnectUrls = ["a:1", "nonsense"] },
        { "ConnectUrls", o => o.ConnectUrls = null! },
        { "Users", o => o.Users = null! },
        { "Accounts", o => o.Accounts = null! },
        { "Logger", o => o.Logger = null! },
        { "LoopOptions", o => o.LoopOptions = null! },
        { "Token", o => o.Token = "" },
        { "NoAuthUser", o => o.NoAuthUser = "" },
        { "SystemAccount", o => o.SystemAccount = "" },
        { "User 'ada'", o => o.Users = [new User("ada", "")] },
        { "User 'ada'", o => o.Accounts = [new AccountOptions("A") { Users = [new User("ada", "")] }] },
        { "User 'ada'", o => o.Users = [User.WithCertificate("ada")] },
        { "User 'ada'", o => o.Accounts = [new AccountOptions("A") { Users = [User.WithCertificate("ada")] }] },
    };

    [Theory]
    [MemberData(nameof(Mistakes))]
    public async Task The_check_and_the_start_name_the_invalid_option(string name, Action<BrokerServerOptions> spoil)
    {
        var options = new BrokerServerOptions();
        spoil(options);
        Assert.Contains(name, Assert.ThrowsAny<ArgumentException>(options.Validate).Message, StringComparison.Ordinal);
        ArgumentException atStart = await Assert.ThrowsAnyAsync<ArgumentException>(() => BrokerServer.StartAsync(options, TestContext.Current.CancellationToken));
        Assert.Contains(name, atStart.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Empty_passwords_and_tokens_are_refused_unless_they_are_intended()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [User.WithoutPassword("open"), new User("shut", "p")]);
        using var open = RawClient.Open(server, "CONNECT {\"verbose\":false,\"user\":\"open\"}\r\n");
        Assert.Equal("", open.Sync());
        foreach (string shown in new[] { "\"user\":\"shut\"", "\"user\":\"shut\",\"pass\":\"\"", "\"user\":\"open\",\"pass\":\"x\"", "\"auth_token\":\"\"", "\"user\":\"\",\"pass\":\"\"" })
        {
            using var refused = RawClient.Open(server, "CONNECT {\"verbose\":false," + shown + "}\r\n");
            Assert.Equal("-ERR 'Authorization Violation'\r\n", refused.ReadToEnd());
        }
    }
}
