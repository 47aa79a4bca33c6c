using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>The messages without a body that tell a client of the state of a consumer.</summary>
internal static class ConsumerStatus
{
    /// <summary>Sends a status. Returns false if nobody received it.</summary>
    /// <param name="host">The parts of the account.</param>
    /// <param name="to">The subject that it is published to.</param>
    /// <param name="status">The number and its text.</param>
    /// <param name="headers">More lines.</param>
    /// <param name="replyTo">The subject for an answer; empty for none.</param>
    internal static bool Send(ConsumerHost host, ReadOnlySpan<byte> to, string status, string headers = "", ReadOnlySpan<byte> replyTo = default)
        => host.Responder.PublishStatus(to, Encoding.UTF8.GetBytes($"NATS/1.0 {status}\r\n{headers}\r\n"), replyTo);

    /// <summary>Sends a heartbeat, with the place that the consumer has reached.</summary>
    internal static bool SendHeartbeat(ConsumerHost host, ReadOnlySpan<byte> to, ConsumerProgress progress, string headers = "") => Send(
        host, to, "100 Idle Heartbeat",
        string.Create(CultureInfo.InvariantCulture, $"Nats-Last-Consumer: {progress.Deliveries}\r\nNats-Last-Stream: {progress.Delivered}\r\n{headers}"));
}
