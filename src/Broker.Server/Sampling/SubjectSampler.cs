using System.Text;

namespace Broker.Server;

/// <summary>
/// Counts the subjects of one loop's sampled messages, in a table of fixed size. A subject that finds no free place
/// takes the place of the subject with the least weight, and inherits this weight (the space-saving algorithm). So a
/// subject with more than one part in <see cref="Capacity"/> of the samples stays in the table.
/// </summary>
/// <remarks>The loop adds samples; any thread may copy the table. The loop takes the lock only for a sample.</remarks>
internal sealed class SubjectSampler(int interval)
{
    /// <summary>The number of subjects in the table.</summary>
    internal const int Capacity = 256;

    /// <summary>The number of a subject's first bytes that the table distinguishes.</summary>
    internal const int MaxLength = 128;

    // After this number of samples all weights are halved, so that the traffic of the past does not hold places.
    private const int HalvingInterval = 32 * 1024;

    private readonly Lock _gate = new();
    private readonly uint[] _hashes = new uint[Capacity];
    private readonly Place[] _places = new Place[Capacity];
    private readonly byte[] _subjects = new byte[Capacity * MaxLength];
    private int _count;
    private int _untilHalving = HalvingInterval;

    private struct Place
    {
        internal string Account;
        internal int Length;
        internal bool IsCut;

        // The subject with the least weight loses its place first. The weight is the number of samples, including the
        // weight that was inherited with the place; older samples count less.
        internal long Weight;

        // The samples since the subject took this place.
        internal long Samples;
        internal long Payload;
    }

    /// <summary>One of so many messages is sampled.</summary>
    internal int Interval { get; } = interval;

    /// <summary>Counts one message. Called on the loop only; allocates nothing.</summary>
    internal void Add(string account, ReadOnlySpan<byte> subject, int payload)
    {
        bool isCut = subject.Length > MaxLength;
        subject = isCut ? subject[..MaxLength] : subject;
        uint hash = ByteHash.Compute(subject, 0);
        lock (_gate)
        {
            int at = Find(hash, account, subject, isCut);
            if (at < 0)
            {
                at = Take(hash, account, subject, isCut);
            }

            ref Place place = ref _places[at];
            place.Weight++;
            place.Samples++;
            place.Payload += payload;
            if (--_untilHalving == 0)
            {
                Halve();
            }
        }
    }

    /// <summary>Adds the rows of the table to a list. Thread-safe.</summary>
    internal void CopyTo(List<Row> rows)
    {
        lock (_gate)
        {
            for (int i = 0; i < _count; i++)
            {
                Place place = _places[i];
                string subject = Encoding.UTF8.GetString(_subjects, i * MaxLength, place.Length);
                rows.Add(new Row(place.Account, subject, place.IsCut, place.Weight, place.Samples, place.Payload));
            }
        }
    }

    private int Find(uint hash, string account, ReadOnlySpan<byte> subject, bool isCut)
    {
        ReadOnlySpan<uint> hashes = _hashes.AsSpan(0, _count);
        for (int from = 0; from < hashes.Length; from++)
        {
            int next = hashes[from..].IndexOf(hash);
            if (next < 0)
            {
                break;
            }

            from += next;
            Place place = _places[from];
            if (place.IsCut == isCut && string.Equals(place.Account, account, StringComparison.Ordinal)
                && _subjects.AsSpan(from * MaxLength, place.Length).SequenceEqual(subject))
            {
                return from;
            }
        }

        return -1;
    }

    private int Take(uint hash, string account, ReadOnlySpan<byte> subject, bool isCut)
    {
        int at = _count < Capacity ? _count++ : Lightest();
        _hashes[at] = hash;
        subject.CopyTo(_subjects.AsSpan(at * MaxLength));
        _places[at] = new Place { Account = account, Length = subject.Length, IsCut = isCut, Weight = _places[at].Weight };
        return at;
    }

    private int Lightest()
    {
        int lightest = 0;
        for (int i = 1; i < Capacity; i++)
        {
            if (_places[i].Weight < _places[lightest].Weight)
            {
                lightest = i;
            }
        }

        return lightest;
    }

    private void Halve()
    {
        _untilHalving = HalvingInterval;
        for (int i = 0; i < _count; i++)
        {
            _places[i].Weight /= 2;
        }
    }

    /// <summary>One subject of the table.</summary>
    /// <param name="Account">The account of the publishers.</param>
    /// <param name="Subject">The subject, or its first bytes.</param>
    /// <param name="IsCut">Whether the subject has more bytes.</param>
    /// <param name="Weight">The samples, with old ones counted less.</param>
    /// <param name="Samples">The number of samples since the subject took its place.</param>
    /// <param name="Payload">The payload bytes of these samples.</param>
    internal readonly record struct Row(string Account, string Subject, bool IsCut, long Weight, long Samples, long Payload);
}
