using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// Messages as programs send them: to many subjects in random order, of sizes that vary, each with a reply subject of its own. Whatever
/// is random is the same in every run.
/// </summary>
internal sealed record Traffic
{
    private const int FewestInCycle = 65_536;
    private const int MostBytesOfFew = 32 * 1024 * 1024;
    private const int Seed = 20_261_122;

    private readonly Lazy<int[]> _order;

    public Traffic() => _order = new Lazy<int[]>(Shuffle);

    // A copy may have more subjects, and so an order of its own.
    private Traffic(Traffic other)
    {
        _order = new Lazy<int[]>(Shuffle);
        Subjects = other.Subjects;
        Size = other.Size;
        Varies = other.Varies;
        Smallest = other.Smallest;
        Replies = other.Replies;
    }

    /// <summary>How many subjects there are, each as often as the others.</summary>
    public int Subjects { get; init; } = 1;

    /// <summary>The size of payloads, or with <see cref="Varies"/> of the largest.</summary>
    public required int Size { get; init; }

    /// <summary>Whether payloads have every size from <see cref="Smallest"/> to <see cref="Size"/>.</summary>
    public bool Varies { get; init; }

    public int Smallest { get; init; }

    /// <summary>Whether each message asks for an answer, to a subject that no other one names.</summary>
    public bool Replies { get; init; }

    /// <summary>After so many messages they begin again.</summary>
    public int Cycle => Math.Max(Subjects, Math.Min(FewestInCycle, MostBytesOfFew / Math.Max(1, Size)));

    /// <summary>What is subscribed to for all of them.</summary>
    public string Filter => Subjects == 1 ? "foo" : "foo.>";

    /// <summary>In words.</summary>
    public string What => string.Create(
        CultureInfo.InvariantCulture,
        $"{(Varies ? $"{Smallest}–{Size} B" : $"{Size} B")}, {(Subjects == 1 ? "one subject" : $"{Subjects:N0} subjects")}{(Replies ? ", a reply subject each" : "")}");

    /// <summary>The same with payloads that are large enough to say of whom they are and which.</summary>
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

    // Random, and the same for a number (SplitMix64's finish).
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
