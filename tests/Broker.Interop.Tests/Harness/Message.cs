using System.Text;

namespace Broker.Interop.Tests.Harness;

/// <summary>
/// A message that a peer reports: the frames of a ZeroMQ message, or subject, payload and header lines of a NATS
/// message.
/// </summary>
internal sealed record Message(IReadOnlyList<byte[]> Frames)
{
    public string Subject => Encoding.UTF8.GetString(Frames[0]);

    /// <summary>The last frame of a ZeroMQ message.</summary>
    public byte[] Body => Frames[^1];

    public byte[] Payload => Frames[1];

    public string PayloadText => Encoding.UTF8.GetString(Payload);

    public IEnumerable<string> Headers => Frames.Skip(2).Select(Encoding.UTF8.GetString);

    public static Message Parse(string line) => new([.. line.Split(' ').Skip(1).Select(Hex.Decode)]);
}
