namespace Broker.Cli.Shell;

/// <summary>Reads bodies of messages from standard input.</summary>
internal static class StandardInput
{
    private const int MostBytes = 512 * 1024 * 1024;

    /// <summary>Reads all of standard input as one body.</summary>
    /// <exception cref="UsageException">Standard input is longer than any message can be.</exception>
    public static async Task<byte[]> ReadAllAsync(Stream input, CancellationToken cancellationToken)
    {
        using var all = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        int count;
        while ((count = await input.ReadAsync(buffer, cancellationToken)) > 0)
        {
            await all.WriteAsync(buffer.AsMemory(0, count), cancellationToken);
            if (all.Length > MostBytes)
            {
                throw new UsageException("standard input is too long: a message can have at most 512 MiB");
            }
        }

        return all.ToArray();
    }

    /// <summary>
    /// Reads each line of standard input, without its line end, as a body. The memory of a line is valid until the next
    /// line is read.
    /// </summary>
    /// <exception cref="UsageException">A line is longer than any message can be.</exception>
    public static async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadLinesAsync(
        Stream input, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        byte[] buffer = new byte[64 * 1024];
        int held = 0;
        while (true)
        {
            if (held == buffer.Length)
            {
                if (held >= MostBytes)
                {
                    throw new UsageException("a line of standard input is too long: a message can have at most 512 MiB");
                }

                Array.Resize(ref buffer, held * 2);
            }

            int count = await input.ReadAsync(buffer.AsMemory(held), cancellationToken);
            if (count == 0)
            {
                break;
            }

            int scanned = held;
            int begin = 0;
            held += count;
            while (buffer.AsSpan(scanned, held - scanned).IndexOf((byte)'\n') is >= 0 and var at)
            {
                int end = scanned + at;
                yield return Line(buffer, begin, end);
                begin = scanned = end + 1;
            }

            buffer.AsSpan(begin, held - begin).CopyTo(buffer);
            held -= begin;
        }

        if (held > 0)
        {
            yield return Line(buffer, 0, held);
        }
    }

    private static ReadOnlyMemory<byte> Line(byte[] buffer, int begin, int end)
        => buffer.AsMemory(begin, (end > begin && buffer[end - 1] == '\r' ? end - 1 : end) - begin);
}
