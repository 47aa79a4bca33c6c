using System.Text;

namespace Broker.Benchmarks.Parsing;

/// <summary>
/// A stream of 1,024 PUBs with 64 bytes on average, 64 KiB in all, and the reads in which it arrives.
/// </summary>
internal sealed class PublishStream
{
    internal const int Messages = 1024;

    /// <summary>The most bytes of any stream.</summary>
    internal const int MostBytes = 128 * 1024;

    private const int AverageLength = 64;
    private const int LongestRead = 2048;

    private PublishStream(byte[] bytes, Range[] reads)
    {
        Bytes = bytes;
        Reads = reads;
    }

    internal byte[] Bytes { get; }

    internal Range[] Reads { get; }

    internal static PublishStream Make(StreamKind kind)
    {
        var random = new Random(19);
        using var stream = new MemoryStream();
        for (int i = 0; i < Messages; i++)
        {
            string subject = kind is StreamKind.Steady or StreamKind.Sizes ? "orders.created" : $"orders.{i * 37 % 509:D3}.new";
            string reply = kind == StreamKind.Replies ? $"_INBOX.a7Qx.{i:D4} " : "";
            int rest = AverageLength - "PUB ".Length - subject.Length - " ".Length - reply.Length - "00\r\n\r\n".Length;
            int size = kind is StreamKind.Steady or StreamKind.Subjects ? rest : random.Next(1, rest * 2);
            stream.Write(Encoding.ASCII.GetBytes($"PUB {subject} {reply}{size}\r\n"));
            byte[] payload = new byte[size];
            random.NextBytes(payload);
            stream.Write(payload);
            stream.Write("\r\n"u8);
        }

        byte[] bytes = stream.ToArray();
        return new PublishStream(bytes, Cut(bytes.Length, random));
    }

    private static Range[] Cut(int length, Random random)
    {
        var reads = new List<Range>();
        for (int at = 0; at < length;)
        {
            int end = Math.Min(at + random.Next(1, LongestRead + 1), length);
            reads.Add(at..end);
            at = end;
        }

        return [.. reads];
    }
}
