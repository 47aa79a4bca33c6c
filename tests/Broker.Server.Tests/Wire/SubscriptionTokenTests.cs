using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Wire;

public sealed class SubscriptionTokenTests
{
    [Fact]
    public async Task A_subscription_with_too_many_tokens_is_a_violation_and_a_reload_changes_the_limit()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.MaxSubscriptionTokens = 3);
        using var client = RawClient.Open(server);
        client.Send("SUB a.b.c 1\r\nSUB a.b.> 2\r\nPUB a.b.c.d 1\r\nx\r\n");
        Assert.Equal("MSG a.b.c.d 2 1\r\nx\r\n", client.Sync());
        client.Send("SUB a.b.c.d 3\r\nSUB a.b.c.> 4\r\nSUB a..c.d 5\r\n");
        Assert.Equal(Violation("a.b.c.d") + Violation("a.b.c.>") + Violation("a..c.d"), client.Sync());

        await server.ReloadAsync(o => o.MaxSubscriptionTokens = 0);
        client.Send("SUB a.b.c.d 3\r\n");
        Assert.Equal("", client.Sync());
    }

    private static string Violation(string subject) => $"-ERR 'Permissions Violation for Subscription to \"{subject}\", too many tokens'\r\n";
}
