using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>
/// The progress of a consumer. The log contains the changes of it, and at the start of each segment all of it.
/// </summary>
internal sealed class ConsumerProgress
{
    private const int HeadLength = 4 * sizeof(ulong);
    private const int EntryLength = (2 * sizeof(ulong)) + sizeof(int);
    private const int ChangeLength = 1 + EntryLength;
    private const byte IsDelivered = 1;
    private const byte IsDeliveredOnly = 2;
    private const byte IsAcknowledged = 3;
    private const byte IsAcknowledgedTo = 4;

    /// <summary>The sequence of the last message that was delivered for the first time.</summary>
    internal ulong Delivered { get; private set; }

    /// <summary>The number of the last delivery.</summary>
    internal ulong Deliveries { get; private set; }

    internal PendingList Pending { get; } = new();

    /// <summary>The sequence up to which everything that was delivered is acknowledged.</summary>
    internal ulong Floor => Pending.Count == 0 ? Delivered : Pending.First.Sequence - 1;

    /// <summary>The delivery up to which everything is acknowledged.</summary>
    internal ulong DeliveryFloor => Pending.Count == 0 ? Deliveries : Pending.First.ConsumerSequence - 1;

    /// <summary>Sets where a new consumer begins: everything up to a sequence counts as handled.</summary>
    internal void BeginAfter(ulong sequence) => Delivered = sequence;

    /// <summary>Counts the delivery of a message.</summary>
    internal void Deliver(ulong sequence, ulong number, int deliveries, bool isPending)
    {
        Delivered = Math.Max(Delivered, sequence);
        Deliveries = Math.Max(Deliveries, number);
        if (!isPending)
        {
            return;
        }

        int known = Pending.Find(sequence);
        if (known >= 0)
        {
            Pending.Entries[known].Deliveries = deliveries;
        }
        else
        {
            Pending.Add(new PendingMessage { Sequence = sequence, ConsumerSequence = number, Deliveries = deliveries });
        }
    }

    internal bool Acknowledge(ulong sequence) => Pending.Remove(sequence);

    /// <summary>Acknowledges everything up to a sequence.</summary>
    internal void AcknowledgeTo(ulong sequence)
    {
        while (Pending.Count > 0 && Pending.First.Sequence <= sequence)
        {
            Pending.Remove(Pending.First.Sequence);
        }
    }

    /// <summary>Appends a delivery to the changes for the log.</summary>
    internal static void WriteDelivery(ByteWriter changes, ulong sequence, ulong number, int deliveries, bool isPending)
    {
        Span<byte> change = changes.Append(ChangeLength);
        change[0] = isPending ? IsDelivered : IsDeliveredOnly;
        WriteEntry(change[1..], sequence, number, deliveries);
    }

    /// <summary>Appends an acknowledgement to the changes for the log.</summary>
    internal static void WriteAcknowledgement(ByteWriter changes, ulong sequence, bool withAllBefore)
    {
        Span<byte> change = changes.Append(1 + sizeof(ulong));
        change[0] = withAllBefore ? IsAcknowledgedTo : IsAcknowledged;
        BinaryPrimitives.WriteUInt64LittleEndian(change[1..], sequence);
    }

    /// <summary>Applies changes of the log. Returns false if they have no meaning.</summary>
    internal bool TryApply(ReadOnlySpan<byte> changes)
    {
        while (!changes.IsEmpty)
        {
            int length = changes[0] is IsDelivered or IsDeliveredOnly ? ChangeLength : 1 + sizeof(ulong);
            if (changes.Length < length || changes[0] is 0 or > IsAcknowledgedTo)
            {
                return false;
            }

            ulong sequence = BinaryPrimitives.ReadUInt64LittleEndian(changes[1..]);
            switch (changes[0])
            {
                case IsAcknowledged:
                    Acknowledge(sequence);
                    break;
                case IsAcknowledgedTo:
                    AcknowledgeTo(sequence);
                    break;
                default:
                    Deliver(
                        sequence, BinaryPrimitives.ReadUInt64LittleEndian(changes[9..]), BinaryPrimitives.ReadInt32LittleEndian(changes[17..]), changes[0] == IsDelivered);
                    break;
            }

            changes = changes[length..];
        }

        return true;
    }

    /// <summary>Writes all of the progress.</summary>
    internal byte[] ToArray()
    {
        byte[] bytes = new byte[HeadLength + (Pending.Count * EntryLength)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, Delivered);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(sizeof(ulong)), Deliveries);
        int at = HeadLength;
        foreach (ref PendingMessage message in Pending.Entries)
        {
            if (!message.IsGone)
            {
                WriteEntry(bytes.AsSpan(at), message.Sequence, message.ConsumerSequence, message.Deliveries);
                at += EntryLength;
            }
        }

        return bytes;
    }

    /// <summary>Reads all of the progress. Returns false if the bytes have no meaning.</summary>
    internal bool TryRead(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeadLength || (bytes.Length - HeadLength) % EntryLength != 0)
        {
            return false;
        }

        Pending.Clear();
        Delivered = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        Deliveries = BinaryPrimitives.ReadUInt64LittleEndian(bytes[sizeof(ulong)..]);
        for (bytes = bytes[HeadLength..]; !bytes.IsEmpty; bytes = bytes[EntryLength..])
        {
            Pending.Add(new PendingMessage
            {
                Sequence = BinaryPrimitives.ReadUInt64LittleEndian(bytes),
                ConsumerSequence = BinaryPrimitives.ReadUInt64LittleEndian(bytes[sizeof(ulong)..]),
                Deliveries = BinaryPrimitives.ReadInt32LittleEndian(bytes[(2 * sizeof(ulong))..]),
            });
        }

        return true;
    }

    private static void WriteEntry(Span<byte> bytes, ulong sequence, ulong number, int deliveries)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, sequence);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[sizeof(ulong)..], number);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[(2 * sizeof(ulong))..], deliveries);
    }
}
