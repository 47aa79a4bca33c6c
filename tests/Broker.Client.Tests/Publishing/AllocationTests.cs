using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Publishing;

public sealed class AllocationTests
{
    private const int Messages = 400_000;
    private const int Portion = 10_000;
    private const int Call = 1000;

    // The allocations of timers, of the test's own tasks and of the sampling of the counter. They are the same for any
    // number of messages.
    private const long Allowance = 100_000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Nats, true)]
    [InlineData(ServerKind.Nats, false)]
    public async Task Publishing_and_receiving_allocate_nothing_for_a_message(ServerKind kind, bool onLoop)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        using var load = new PortionedLoad(Portion);
        connection.Subscribe("alloc", (in MessageView m) => load.Count());
        byte[] body = new byte[64];
        Action publish = () =>
        {
            for (int i = 0; i < Call; i++)
            {
                connection.PublishWithStatus("alloc"u8, body, "reply"u8);
            }
        };

        long least = load.Least(Messages, rounds: 3, SendPortion, () => $"{connection.GetStatistics()}");

        Assert.InRange(least, 0, Allowance);

        void SendPortion()
        {
            for (int i = 0; i < Portion; i += Call)
            {
                if (onLoop)
                {
                    connection.Loop.Post(publish);
                }
                else
                {
                    publish();
                }
            }
        }
    }
}
