using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// Messages like those of real programs: many subjects in random order, varying sizes, and a different reply subject
/// for each. All random values are the same in every run.
/// </summary>
internal sealed record Traffic
{
    private const int FewestInCycle = 65_536;
    private const int MostBytesOfFew = 32 * 1024 * 1024;
    private const int Seed = 20_261_122;

    private readonly Lazy<int[]> _order;

    public Traffic() => _order = new Lazy<int[]>(Shuffle);

    // A copy may have more subjects and therefore another order.
    private Traffic(Traffic other)
    {
        _order = new Lazy<int[]>(Shuffle);
        Subjects = other.Subjects;
        Size = other.Size;
        Varies = other.Varies;
        Smallest = other.Smallest;
        Replies = other.Replies;
    }

    /// <summary>The number of subjects. Each occurs equally often.</summary>
    public int Subjects { get; init; } = 1;

    /// <summary>The payload size; with <see cref="Varies"/> the largest one.</summary>
    public required int Size { get; init; }

    /// <summary>Whether payloads have every size from <see cref="Smallest"/> to <see cref="Size"/>.</summary>
    public bool Varies { get; init; }

    public int Smallest { get; init; }

    /// <summary>Whether each message has its own reply subject.</summary>
    public bool Replies { get; init; }

    /// <summary>The number of messages after which they repeat.</summary>
    public int Cycle => Math.Max(Subjects, Math.Min(FewestInCycle, MostBytesOfFew / Math.Max(1, Size)));

    /// <summary>The filter that matches all messages.</summary>
    public string Filter => Subjects == 1 ? "foo" : "foo.>";

    /// <summary>A description of the messages.</summary>
    public string What => string.Create(
        CultureInfo.InvariantCulture,
        $"{(Varies ? $"{Smallest}–{Size} B" : $"{Size} B")}, {(Subjects == 1 ? "one subject" : $"{Subjects:N0} subjects")}{(Replies ? ", a reply subject each" : "")}");

    /// <summary>Creates a copy with payloads that are large enough for the publisher and the number.</summary>
    public Traffic Numbered => this with { Smallest = Math.Max(Smallest, Payloads.SizeWithPublisher) };

    public byte[] Publish(int publisher, int sequence) => Frames.Publish(Subject(sequence), Payload(publisher, sequence), Reply(sequence));

    public byte[] Message(int publisher, int sequence, int sid) => Frames.Message(Subject(sequence), sid, Payload(publisher, sequence), Reply(sequence));

    private string Subject(int sequence)
        => Subjects == 1 ? "foo" : string.Create(CultureInfo.InvariantCulture, $"foo.{_order.Value[sequence % Cycle] % Subjects}");

    private string? Reply(int sequence)
        => Replies ? string.Create(CultureInfo.InvariantCulture, $"_INBOX.{Mix(sequence):x16}.{sequence}") : null;

    private byte[] Payload(int publisher, int sequence)
    {
        byte[] payload = new byte[Varies ? Smallest + (int)(Mix(sequence) % (uint)(Size - Smallest + 1)) : Size];
        Payloads.WriteNumbered(payload, publisher, sequence);
        return payload;
    }

    // A pseudo-random value for a number (the final step of SplitMix64).
    private static ulong Mix(int sequence)
    {
        ulong x = ((ulong)sequence + Seed) * 0x9E3779B97F4A7C15;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }

    private int[] Shuffle()
    {
        int[] order = [.. Enumerable.Range(0, Cycle)];
        new Random(Seed).Shuffle(order);
        return order;
    }
}
