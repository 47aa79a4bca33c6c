using System.Text.Json;

namespace Broker.Streams;

/// <summary>
/// Answers requests for the last message of a subject, such as the value of a key, if it need not be read from the disk.
/// Used on the loop of the account only; its memory is used for all requests.
/// </summary>
internal sealed class LastMessageRead(DirectAnswer answer)
{
    private const int MaxKeptBytes = 1024 * 1024;

    private byte[] _record = [];

    /// <summary>
    /// The subject of a body that asks for the last message of a subject and for nothing else. Empty for other bodies.
    /// </summary>
    internal static ReadOnlySpan<byte> SubjectOf(ReadOnlySpan<byte> body)
    {
        var reader = new Utf8JsonReader(body);
        try
        {
            bool isLast = reader.Read() && reader.TokenType == JsonTokenType.StartObject
                && reader.Read() && reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("last_by_subj"u8)
                && reader.Read() && reader is { TokenType: JsonTokenType.String, ValueIsEscaped: false };
            ReadOnlySpan<byte> subject = isLast ? reader.ValueSpan : default;
            return isLast && reader.Read() && reader.TokenType == JsonTokenType.EndObject && !reader.Read() ? subject : default;
        }
        catch (JsonException)
        {
            // The general path answers it.
            return default;
        }
    }

    /// <summary>
    /// Answers a request. Returns false if there is no such message, or if the disk must be read: then nothing was
    /// published.
    /// </summary>
    internal bool TryAnswer(ServedStream stream, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> reply)
    {
        if (!stream.Store.TryFindLast(stream.Stored, subject, out MessageEntry entry))
        {
            return false;
        }

        if (_record.Length < entry.Size)
        {
            _record = new byte[Math.Max(entry.Size, 2 * _record.Length)];
        }

        Span<byte> record = _record.AsSpan(0, entry.Size);
        bool isRead = StoreReader.ReadBytes(stream.Stored, entry, record, canWait: false) == ReadStatus.Found
            && stream.Store.Check(stream.Stored, entry, record, out _) == ReadStatus.Found;
        if (isRead)
        {
            answer.Publish(reply, stream.Name, record);
        }

        _record = _record.Length > MaxKeptBytes ? [] : _record;
        return isRead;
    }
}
