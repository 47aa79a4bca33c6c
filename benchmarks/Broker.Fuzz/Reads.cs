namespace Broker.Fuzz;

/// <summary>Passes an input to a parser in reads, and keeps the octets that the parser did not consume.</summary>
internal static class Reads
{
    /// <summary>Parses the unconsumed octets. Returns how many it consumed, or -1 to stop.</summary>
    public delegate int Parse(ReadOnlySpan<byte> unconsumed);

    /// <summary>Parses the whole input in reads of at most <paramref name="size"/> octets.</summary>
    public static void Run(int size, byte[] input, Parse parse)
    {
        int start = 0;
        int end = 0;
        while (end < input.Length)
        {
            end = Math.Min(end + size, input.Length);
            int consumed = parse(input.AsSpan(start, end - start));
            if (consumed < 0)
            {
                return;
            }

            Check(consumed <= end - start, "the parser consumed more than its input");
            start += consumed;
        }
    }

    /// <summary>Ends the run with a finding if a condition is false.</summary>
    public static void Check(bool condition, string problem)
    {
        if (!condition)
        {
            throw new InvalidOperationException(problem);
        }
    }
}
