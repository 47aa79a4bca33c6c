using System.Text;

namespace Broker.Streams;

/// <summary>Reads one message that a request names by its sequence or subject.</summary>
internal sealed class StoredMessageRead(ServedStream stream, StreamRequest request, Action<StoredMessageRead> completed) : IRead
{
    private readonly MessageBuffer _buffer = new();

    internal ServedStream Stream => stream;

    internal ReadStatus Status { get; private set; }

    internal MessageBuffer Message => _buffer;

    public int Read()
    {
        if (request.LastBySubj is { Length: > 0 } last)
        {
            ulong sequence = stream.Store.LastOf(stream.Stored, Encoding.UTF8.GetBytes(last));
            Status = sequence == 0 ? ReadStatus.NotFound : stream.Store.Read(stream.Stored, sequence, _buffer);
        }
        else
        {
            ulong first = request.StartTime is { } time ? stream.Store.FirstAfter(stream.Stored, time.UtcTicks) : request.Seq;
            byte[]? filter = request.NextBySubj is { Length: > 0 } next ? Encoding.UTF8.GetBytes(next) : request.StartTime is null ? null : [];
            Status = filter is not null
                ? stream.Store.ReadNext(stream.Stored, first, _buffer, filter)
                : stream.Store.Read(stream.Stored, request.Seq, _buffer);
        }

        return Status == ReadStatus.Found ? _buffer.Headers.Length + _buffer.Body.Length : 0;
    }

    public void Continue() => completed(this);
}
