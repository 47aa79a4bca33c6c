namespace Broker.Streams;

/// <summary>A message in an answer. The bytes are written in base64.</summary>
internal sealed class StoredMessage
{
    public string Subject { get; init; } = "";

    public ulong Seq { get; init; }

    public byte[]? Hdrs { get; init; }

    public byte[]? Data { get; init; }

    public DateTime Time { get; init; }
}
