using System.Buffers.Binary;

namespace Broker.Streams.Tests.Kills;

/// <summary>
/// Writes what a store acknowledges into a file, without a buffer: what was written survives the process.
/// </summary>
internal sealed class AckLines(string path) : IStoreCompletion, IDisposable
{
    public const long Delete = 1;
    public const long Purge = 2;

    /// <summary>The token of a message is this number plus the length of its body.</summary>
    public const long Append = 16;

    private const int Length = 17;

    private readonly FileStream _file = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);

    public void OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        Assert.Equal(StoreOutcome.Stored, outcome);
        Write(token, sequence, 1);
    }

    /// <summary>Writes that something was requested whose outcome is not known yet.</summary>
    public void Begin(long token, ulong sequence) => Write(token, sequence, 0);

    public void Dispose() => _file.Dispose();

    /// <summary>Reads the lines that are complete.</summary>
    public static IEnumerable<(long Token, ulong Sequence, bool IsDone)> Read(string path)
    {
        byte[] all = File.ReadAllBytes(path);
        for (int at = 0; at + Length <= all.Length; at += Length)
        {
            yield return (BinaryPrimitives.ReadInt64LittleEndian(all.AsSpan(at)), BinaryPrimitives.ReadUInt64LittleEndian(all.AsSpan(at + 8)), all[at + 16] == 1);
        }
    }

    private void Write(long token, ulong sequence, byte isDone)
    {
        Span<byte> line = stackalloc byte[Length];
        BinaryPrimitives.WriteInt64LittleEndian(line, token);
        BinaryPrimitives.WriteUInt64LittleEndian(line[8..], sequence);
        line[16] = isDone;
        lock (_file)
        {
            _file.Write(line);
        }
    }
}
