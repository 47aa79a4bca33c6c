using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>
/// Reads the messages of a direct request for several, some at a time, and publishes them. A status ends them.
/// </summary>
internal sealed class DirectBatchRead(ApiContext context, DirectAnswer answer, ServedStream stream, byte[] reply, StreamRequest request) : IRead, IEntryReceiver
{
    /// <summary>The most subjects of one request for their last messages.</summary>
    internal const int MaxSubjects = 1024;

    private const int PageMessages = 128;
    private const int PageBytes = 256 * 1024;

    private readonly List<MessageEntry> _page = [];
    private readonly bool _isOfLast = request.MultiLast is { Count: > 0 };
    private long _left = request.Batch > 0 ? request.Batch : long.MaxValue;
    private long _bytesLeft = request.MaxBytes > 0 ? request.MaxBytes : long.MaxValue;
    private bool _isBegun;
    private bool _isAnySent;
    private bool _isTooMany;
    private bool _isDamaged;
    private Queue<ulong>? _last;
    private PendingCounter? _counter;
    private byte[] _bytes = [];
    private long _pending;
    private ulong _lastSequence;
    private ulong _upTo;

    public long Room { get; private set; }

    public void Add(in MessageEntry entry)
    {
        _page.Add(entry);
        Room -= entry.Size;
    }

    public int Read()
    {
        Begin();
        _page.Clear();
        Room = PageBytes;
        long most = Math.Min(_left, PageMessages);
        if (_counter is not null)
        {
            stream.Store.Select(stream.Stored, _counter, most, this);
            _pending = _counter.Count;
        }

        while (_last is not null && !_isTooMany && _page.Count < most && Room > 0 && _last.TryDequeue(out ulong sequence))
        {
            Add(stream.Store.FindOrDeleted(stream.Stored, sequence));
            _pending = _last.Count;
        }

        return ReadPage();
    }

    public void Continue()
    {
        int at = 0;
        bool isFull = false;
        for (int i = 0; i < _page.Count && !_isDamaged && !isFull; at += _page[i++].Size)
        {
            isFull = !TryPublish(i, at);
        }

        if (_isDamaged || _isTooMany || isFull || _page.Count == 0 || _left == 0 || _pending == 0)
        {
            End();
        }
        else
        {
            context.Reads.Add(this);
        }
    }

    // Deleted messages are skipped, and the others before the limit of bytes are sent; at least one.
    private bool TryPublish(int index, int at)
    {
        if (_page[index].IsDeleted)
        {
            return true;
        }

        ReadOnlySpan<byte> record = _bytes.AsSpan(at, _page[index].Size);
        int size = record.Length - RecordHead.Length;
        long pending = _pending + _page.Count - 1 - index;
        if (_isAnySent && size > _bytesLeft)
        {
            _pending = pending + 1;
            return false;
        }

        string more = string.Create(CultureInfo.InvariantCulture, $"Nats-Num-Pending: {pending}\r\nNats-Last-Sequence: {_lastSequence}\r\n");
        answer.Publish(reply, stream.Name, record, more);
        (_lastSequence, _isAnySent) = (_page[index].Sequence, true);
        _bytesLeft -= size;
        _left--;
        return true;
    }

    private void End()
    {
        if (_counter is not null)
        {
            stream.Store.Forget(stream.Stored, _counter);
        }

        string upTo = _isOfLast ? string.Create(CultureInfo.InvariantCulture, $"Nats-UpTo-Sequence: {_upTo}\r\n") : "";
        string status = true switch
        {
            _ when _isDamaged => "503 Stream Is Damaged\r\n",
            _ when _isTooMany => "413 Too Many Results\r\n",
            _ when !_isAnySent => _isOfLast ? "404 No Results\r\n" : "404 Message Not Found\r\n",
            _ => string.Create(CultureInfo.InvariantCulture, $"204 EOB\r\nNats-Num-Pending: {_pending}\r\nNats-Last-Sequence: {_lastSequence}\r\n{upTo}"),
        };
        context.Responder.PublishStatus(reply, Encoding.UTF8.GetBytes($"NATS/1.0 {status}\r\n"));
    }

    private void Begin()
    {
        if (_isBegun)
        {
            return;
        }

        _isBegun = true;
        ulong first = request.StartTime is { } start ? stream.Store.FirstAfter(stream.Stored, start.UtcTicks) : Math.Max(request.Seq, 1);
        if (_isOfLast)
        {
            var matching = new PendingCounter([.. request.MultiLast!.Select(Encoding.UTF8.GetBytes)], first);
            _upTo = request.UpToSeq > 0 ? request.UpToSeq : request.UpToTime is { } end ? stream.Store.FirstAfter(stream.Stored, end.UtcTicks) - 1 : ulong.MaxValue;
            _upTo = Math.Min(_upTo, stream.Store.Summarize(stream.Stored).Last);
            _last = stream.Store.LastUpTo(stream.Stored, matching, _upTo);
            _isTooMany = _last.Count > MaxSubjects;
        }
        else
        {
            _counter = new PendingCounter(request.NextBySubj is { Length: > 0 } filter ? [Encoding.UTF8.GetBytes(filter)] : [], first);
            stream.Store.Count(stream.Stored, _counter);
        }
    }

    private int ReadPage()
    {
        int total = _page.Sum(static entry => entry.Size);
        _bytes = _bytes.Length < total ? new byte[total] : _bytes;
        int at = 0;
        for (int i = 0; i < _page.Count; at += _page[i++].Size)
        {
            if (!_page[i].IsDeleted)
            {
                ReadStatus status = stream.Store.Read(stream.Stored, _page[i], _bytes.AsSpan(at, _page[i].Size));
                _isDamaged |= status == ReadStatus.Damaged;
                _page[i] = status == ReadStatus.Found ? _page[i] : _page[i] with { Segment = null };
            }
        }

        return total;
    }
}
