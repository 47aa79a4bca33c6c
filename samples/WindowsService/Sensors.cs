using System.Globalization;
using System.Text;
using Broker.Client;

namespace WindowsService;

/// <summary>
/// Counts messages that sensors publish by ZeroMQ. It answers requests to <c>sensors.count</c> with the number. A
/// message to <c>sensors.fault</c> makes it fail with the message's text.
/// </summary>
internal sealed class Sensors(BrokerConnection client) : BackgroundService
{
    private long _count;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var fault = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        client.Subscribe("zmq.>", (in _) => Interlocked.Increment(ref _count));
        client.Subscribe("sensors.count", (in message) => message.Respond(Encoding.ASCII.GetBytes(Interlocked.Read(ref _count).ToString(CultureInfo.InvariantCulture))));
        // An error that only a restart can fix: the host stops, and its exit code triggers the recovery of the service.
        client.Subscribe("sensors.fault", (in message) => fault.TrySetException(new InvalidOperationException(Encoding.UTF8.GetString(message.Body))));
        await fault.Task.WaitAsync(stoppingToken);
    }
}
