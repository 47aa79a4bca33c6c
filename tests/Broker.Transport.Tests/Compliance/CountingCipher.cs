using System.Buffers.Binary;

namespace Broker.Transport.Tests;

/// <summary>
/// A cipher that does not encrypt but detects records that are lost, doubled, out of order, cut or mixed. A record has
/// a length, a running number, and the bytes changed by that number. Plaintexts have any length up to <see
/// cref="Largest"/>.
/// </summary>
internal sealed class CountingCipher : RecordCipher
{
    internal const int Largest = 100_000;

    private const int Header = 8;

    private uint _sealed;
    private uint _opened;
    private int _read;

    public override int MeasurePlaintext(ReadOnlySpan<byte> written, out int recordSize)
    {
        int length = Math.Min(written.Length, 1 + (int)(_sealed * 7919 % Largest));
        recordSize = Header + length;
        return length;
    }

    public override void Seal(ReadOnlySpan<byte> plaintext, Span<byte> record)
    {
        BinaryPrimitives.WriteInt32LittleEndian(record, plaintext.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(record[4..], _sealed);
        byte key = (byte)(_sealed++ | 1);
        for (int i = 0; i < plaintext.Length; i++)
        {
            record[Header + i] = (byte)(plaintext[i] ^ key);
        }
    }

    public override int MeasureRecord(ReadOnlySpan<byte> received)
    {
        if (received.Length < Header)
        {
            return Header;
        }

        int length = BinaryPrimitives.ReadInt32LittleEndian(received);
        return length is <= 0 or > Largest ? -1 : Header + length;
    }

    public override int Open(ReadOnlySpan<byte> record)
    {
        _read = 0;
        return BinaryPrimitives.ReadUInt32LittleEndian(record[4..]) == _opened++ ? record.Length - Header : -1;
    }

    public override void Read(ReadOnlySpan<byte> record, Span<byte> destination)
    {
        byte key = (byte)((_opened - 1) | 1);
        for (int i = 0; i < destination.Length; i++)
        {
            destination[i] = (byte)(record[Header + _read++] ^ key);
        }
    }

    protected override void Dispose(bool disposing)
    {
    }
}
