namespace Broker.Bridge.JetStream;

/// <summary>JetStream has refused a request.</summary>
internal sealed class StreamException(int code, string message) : Exception(message)
{
    /// <summary>Its <c>err_code</c>.</summary>
    internal int Code { get; } = code;
}
