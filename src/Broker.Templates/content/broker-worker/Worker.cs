using System.Text;
using Broker.Client;

namespace CompanyWorker;

/// <summary>
/// Receives messages that NATS clients publish to <c>work.&gt;</c>, and ZeroMQ programs to topics that begin with
/// <c>work.</c>.
/// </summary>
internal sealed class Worker(BrokerConnection client, ILogger<Worker> logger) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await using QueuedSubscription fromZeroMq = client.SubscribeQueued("zmq.work.>");
        await using QueuedSubscription fromNats = client.SubscribeQueued("work.>");
        await Task.WhenAll(TakeAsync(fromZeroMq, stoppingToken), TakeAsync(fromNats, stoppingToken));
    }

    private async Task TakeAsync(QueuedSubscription subscription, CancellationToken stoppingToken)
    {
        await foreach (Message message in subscription.ReadAllAsync(stoppingToken))
        {
            logger.LogInformation("{Subject}: {Text}", message.Subject, Encoding.UTF8.GetString(message.Body.Span));
            if (message.ReplyTo is not null)
            {
                message.Respond("done"u8);
            }
        }
    }
}
