using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>
/// The subscriptions of clients that have left are removed in parts, so that nobody waits for all of them.
/// </summary>
public sealed class RemovalPerIterationTests
{
    private const string Quiet = """CONNECT {"verbose":false,"pedantic":false}""" + "\r\n";
    private const int Each = 1_000;

    [Theory]
    [InlineData(1, 272)]
    [InlineData(10, 272)]
    [InlineData(60, 1_040)]
    public void An_iteration_removes_few_subscriptions_and_more_only_if_many_clients_have_left(int clients, int most)
    {
        using var broker = new DrivenBroker();
        var leaving = Enumerable.Range(0, clients).Select(i => broker.Connect(Quiet + Subscriptions(i))).ToList();
        Assert.Equal(clients * Each, broker.Server.Snapshot().Subscriptions);

        leaving.ForEach(static client => client.Connection.Close());
        int mostRemoved = 0;
        int left = broker.Server.Snapshot().Subscriptions;
        int atFirst = left;
        while (broker.Loop.RunOnce(TimeSpan.Zero))
        {
            int now = broker.Server.Snapshot().Subscriptions;
            mostRemoved = Math.Max(mostRemoved, left - now);
            left = now;
        }

        Assert.Equal(0, left);
        Assert.InRange(clients * Each - atFirst, 0, most);
        Assert.InRange(mostRemoved, most / 2, most);
    }

    [Fact]
    public void Clients_are_answered_between_the_parts()
    {
        using var broker = new DrivenBroker();
        DrivenBroker.Client leaving = broker.Connect(Quiet + Subscriptions(0));
        DrivenBroker.Client bystander = broker.Connect(Quiet);
        leaving.Connection.Close();
        bystander.Connection.GetWriteBuffer(broker.Loop).Write("PING\r\n"u8);
        while (bystander.Heard().Length == 0)
        {
            Assert.True(broker.Loop.RunOnce(TimeSpan.Zero), "the loop has nothing to do, and nobody has answered");
        }

        Assert.NotEqual(0, broker.Server.Snapshot().Subscriptions);
    }

    private static string Subscriptions(int client)
    {
        var lines = new StringBuilder();
        for (int i = 0; i < Each; i++)
        {
            lines.Append(CultureInfo.InvariantCulture, $"SUB from.{client}.{i} {i}\r\n");
        }

        return lines.ToString();
    }
}
