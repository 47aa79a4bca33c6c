using Broker.Client;

namespace Telemetry;

/// <summary>
/// Receives orders from NATS clients (<c>orders.new</c>) and ZeroMQ programs (topic <c>orders.new</c>), and publishes
/// accepted orders. The handler publishes them, so they belong to the trace of the received order.
/// </summary>
internal sealed class OrderDesk(BrokerConnection client) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using Subscription fromNats = client.Subscribe("orders.new", Take);
        using Subscription fromZeroMq = client.Subscribe("zmq.orders.new", Take);
        await Task.Delay(Timeout.Infinite, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private void Take(in MessageView order) => client.Publish("orders.accepted", order.Body);
}
