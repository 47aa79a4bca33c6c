namespace Broker.LoadTest.Driver;

/// <summary>
/// Creates payloads of lower-case letters, so that no payload looks like a control line. Successive letters differ,
/// so that a stream that is shifted by an additional line is detected.
/// </summary>
internal static class Payloads
{
    private const int Letters = 26;
    private const int PublisherDigits = 3;
    private const int SequenceDigits = 6;

    /// <summary>The minimum size of a payload that contains its publisher and its number.</summary>
    public const int SizeWithPublisher = PublisherDigits + SequenceDigits;

    public static byte[] Pattern(int size)
    {
        byte[] payload = new byte[size];
        Run(payload, 0);
        return payload;
    }

    /// <summary>Returns how many different payloads of this size exist, up to <paramref name="wanted"/>.</summary>
    public static int Distinct(int size, int wanted)
    {
        if (size == 0)
        {
            return wanted;
        }

        long distinct = 1;
        for (int i = 0; i < Math.Min(size, SequenceDigits) && distinct < wanted; i++)
        {
            distinct *= Letters;
        }

        return (int)Math.Min(distinct, wanted);
    }

    /// <summary>
    /// Writes payload <paramref name="sequence"/> of a publisher: the numbers in letters, followed by letters that
    /// depend on them.
    /// </summary>
    public static void WriteNumbered(Span<byte> payload, int publisher, int sequence)
    {
        if (payload.Length < SizeWithPublisher)
        {
            WriteNumber(payload[..Math.Min(payload.Length, SequenceDigits)], sequence);
            return;
        }

        WriteNumber(payload[..PublisherDigits], publisher);
        WriteNumber(payload.Slice(PublisherDigits, SequenceDigits), sequence);
        Run(payload[SizeWithPublisher..], publisher + sequence);
    }

    public static (int Publisher, int Sequence) ReadNumbers(ReadOnlySpan<byte> payload)
        => payload.Length < SizeWithPublisher
            ? (0, ReadNumber(payload[..Math.Min(payload.Length, SequenceDigits)]))
            : (ReadNumber(payload[..PublisherDigits]), ReadNumber(payload.Slice(PublisherDigits, SequenceDigits)));

    private static void Run(Span<byte> span, int from)
    {
        for (int i = 0; i < span.Length; i++)
        {
            span[i] = (byte)('a' + ((from + i) % Letters));
        }
    }

    private static void WriteNumber(Span<byte> digits, int value)
    {
        for (int i = digits.Length - 1; i >= 0; i--, value /= Letters)
        {
            digits[i] = (byte)('a' + (value % Letters));
        }
    }

    private static int ReadNumber(ReadOnlySpan<byte> digits)
    {
        int value = 0;
        foreach (byte digit in digits)
        {
            value = (value * Letters) + (digit - 'a');
        }

        return value;
    }
}
