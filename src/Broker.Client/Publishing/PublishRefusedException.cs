using System.Globalization;

namespace Broker.Client;

/// <summary>
/// A message was refused. <see cref="Status"/> is the reason. The text contains the limit that was reached and a way to
/// handle it.
/// </summary>
public sealed class PublishRefusedException : ClientException
{
    /// <param name="status">The reason.</param>
    /// <param name="options">The options of the connection.</param>
    /// <param name="payload">The size of the message's headers and body, in bytes.</param>
    /// <param name="maxPayload">The largest size that the server accepts.</param>
    internal PublishRefusedException(PublishStatus status, ClientOptions options, long payload, int maxPayload)
        : base(TextFor(status, options, payload, maxPayload)) => Status = status;

    /// <summary>The reason.</summary>
    public PublishStatus Status { get; }

    private static string TextFor(PublishStatus status, ClientOptions options, long payload, int maxPayload) => status switch
    {
        PublishStatus.PendingLimit when payload > options.MaxPendingBytes =>
            $"The message has {Number(payload)} bytes, but at most {Number(options.MaxPendingBytes)} bytes may wait for the server (ClientOptions.MaxPendingBytes).",
        PublishStatus.PendingLimit =>
            $"{Number(options.MaxPendingBytes)} bytes wait for the server, which is the limit (ClientOptions.MaxPendingBytes). PublishAsync waits for space, and ClientOptions.OnWritable is called when there is space.",
        PublishStatus.BufferFull =>
            $"No server is connected, and the buffer of {Number(options.ReconnectBufferSize)} bytes for the next server is full (ClientOptions.ReconnectBufferSize). PublishAsync waits for space.",
        PublishStatus.NotConnected => "No server is connected, and messages are not buffered (ClientOptions.WhileDisconnected).",
        PublishStatus.Closed => "The connection is closed.",
        PublishStatus.PayloadTooLarge =>
            $"The message has {Number(payload)} bytes with its headers, but the server accepts at most {Number(maxPayload)} bytes (its max_payload).",
        PublishStatus.SubjectTooLong =>
            $"Subject and reply subject are too long for a line of {Number(options.MaxControlLine)} bytes (ClientOptions.MaxControlLine, and the server's max_control_line).",
        PublishStatus.HeadersNotSupported when options.Headers => "The message has headers, but the server does not support headers.",
        PublishStatus.HeadersNotSupported => "The message has headers, but ClientOptions.Headers is false.",
        _ => "The message was not accepted.",
    };

    private static string Number(long bytes) => bytes.ToString("N0", CultureInfo.InvariantCulture);
}
