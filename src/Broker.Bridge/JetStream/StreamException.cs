namespace Broker.Bridge;

/// <summary>The error of a request that JetStream refused.</summary>
internal sealed class StreamException(int code, string message) : Exception(message)
{
    /// <summary>JetStream's <c>err_code</c>.</summary>
    internal int Code { get; } = code;
}
