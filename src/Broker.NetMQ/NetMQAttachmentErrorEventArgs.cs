namespace Broker.NetMQ;

/// <summary>The data of <see cref="NetMQAttachment.Error"/>.</summary>
/// <param name="exception">The error.</param>
public sealed class NetMQAttachmentErrorEventArgs(Exception exception) : EventArgs
{
    /// <summary>The error.</summary>
    public Exception Exception { get; } = exception;
}
