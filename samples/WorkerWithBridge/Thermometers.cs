using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Broker.Client;

namespace WorkerWithBridge;

/// <summary>
/// Keeps the highest reading of each room and publishes each new one. Thermometers publish <c>room.NAME</c> with
/// ZeroMQ, which is the subject <c>zmq.room.NAME</c>. ZeroMQ subscribers of <c>highest.NAME</c> receive the messages
/// that are published to <c>zmq.highest.NAME</c>.
/// </summary>
internal sealed partial class Thermometers(BrokerConnection client, ILogger<Thermometers> logger) : BackgroundService
{
    private readonly ConcurrentDictionary<string, double> _highest = new(StringComparer.Ordinal);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        // ZeroMQ REQ programs and NATS clients may send this request.
        client.Subscribe("rooms.highest", (in message) => message.Respond(Answer(Encoding.UTF8.GetString(message.Body))));
        await using QueuedSubscription readings = client.SubscribeQueued("zmq.room.*");
        await client.FlushAsync(stoppingToken);
        TakesReadings();
        await foreach (Message reading in readings.ReadAllAsync(stoppingToken))
        {
            Take(reading.Subject["zmq.room.".Length..], Encoding.UTF8.GetString(reading.Body.Span));
        }
    }

    private byte[] Answer(string room)
        => Encoding.UTF8.GetBytes(_highest.TryGetValue(room, out double highest) ? highest.ToString(CultureInfo.InvariantCulture) : "nothing yet");

    private void Take(string room, string text)
    {
        if (!double.TryParse(text, CultureInfo.InvariantCulture, out double degrees))
        {
            NotANumber(room, text);
            return;
        }

        if (!_highest.TryGetValue(room, out double highest) || degrees > highest)
        {
            _highest[room] = degrees;
            client.Publish("zmq.highest." + room, Encoding.UTF8.GetBytes(text));
        }
    }

    [LoggerMessage(1, LogLevel.Information, "Takes readings")]
    private partial void TakesReadings();

    [LoggerMessage(2, LogLevel.Warning, "The reading \"{Text}\" of room {Room} is not a number")]
    private partial void NotANumber(string room, string text);
}
