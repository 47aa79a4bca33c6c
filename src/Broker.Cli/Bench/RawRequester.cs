using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Broker.Client;
using Broker.Protocol;

namespace Broker.Cli.Bench;

/// <summary>
/// The requests of one connection. Each of the requests that may wait for a reply has a subscription of its own, whose
/// number names the request.
/// </summary>
internal struct RawRequester : IRawHandler
{
    private readonly RawLink _link;
    private readonly BenchSettings _settings;
    private readonly BenchCounts _counts;
    private readonly BenchCounter _counter;
    private readonly RawErrors _errors;
    private readonly ReadOnlyMemory<byte>[] _bodies;
    private readonly byte[][] _subjects;
    private readonly byte[][] _replySubjects;
    private readonly long[] _sentAt;
    private readonly ArrayBufferWriter<byte> _output = new();
    private readonly CancellationToken _end;
    private readonly long _share;
    private long _sent;

    public RawRequester(RawLink link, BenchSettings settings, BenchCounts counts, RawErrors errors, ReadOnlyMemory<byte>[] bodies, byte[][] subjects, long share, CancellationToken end)
    {
        (_link, _settings, _counts, _errors, _bodies, _subjects, _share, _end) = (link, settings, counts, errors, bodies, subjects, share, end);
        _counter = counts.AddSender();
        string inbox = BrokerConnection.NewInbox();
        _replySubjects = [.. Enumerable.Range(1, settings.InFlight).Select(number => Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{inbox}.{number}")))];
        _sentAt = new long[settings.InFlight];
        for (int i = 0; i < _replySubjects.Length; i++)
        {
            _output.Write("SUB "u8);
            _output.Write(_replySubjects[i]);
            _output.Write(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $" {i + 1}\r\n")));
        }
    }

    /// <summary>The requests that wait for a reply.</summary>
    public int Waiting { get; private set; }

    /// <summary>Writes the first requests.</summary>
    public void Begin()
    {
        for (int i = 0; i < _sentAt.Length; i++)
        {
            WriteRequest(i);
        }
    }

    /// <summary>Sends what was written.</summary>
    public readonly void Send()
    {
        if (_output.WrittenCount > 0)
        {
            _link.Send(_output.WrittenSpan);
            _output.ResetWrittenCount();
        }
    }

    /// <summary>Counts the requests without a reply, and writes others in their place.</summary>
    public void GiveUp()
    {
        for (int i = 0; i < _sentAt.Length; i++)
        {
            if (_sentAt[i] != 0)
            {
                _sentAt[i] = 0;
                Waiting--;
                _counts.CountUnanswered();
                WriteRequest(i);
            }
        }
    }

    public bool OnMessage(in MessageOperation operation)
    {
        int number = (int)(operation.Sid - 1);
        if ((uint)number >= (uint)_sentAt.Length || _sentAt[number] == 0)
        {
            // A reply that came too late.
            return true;
        }

        if (operation.HeaderLength > 0)
        {
            throw new NoRespondersException(_settings.Filter);
        }

        _counts.RecordSince(_sentAt[number]);
        _counter.Count(operation.Payload.Length);
        _sentAt[number] = 0;
        Waiting--;
        WriteRequest(number);
        return true;
    }

    public readonly void OnEqual(int messages)
    {
    }

    public readonly int TakeEqual() => 0;

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => true;

    public readonly bool OnPing()
    {
        _link.AnswerPing();
        return true;
    }

    public readonly bool OnPong() => true;

    public readonly bool OnOk() => true;

    public readonly bool OnError(ReadOnlySpan<byte> text)
    {
        _errors.Refuse(text);
        return true;
    }

    private void WriteRequest(int number)
    {
        if (_sent == _share || _end.IsCancellationRequested)
        {
            return;
        }

        RawResponder.WritePublish(_output, _subjects[_sent % _subjects.Length], _replySubjects[number], _bodies[_sent % _bodies.Length].Span);
        _sent++;
        Waiting++;
        _sentAt[number] = Stopwatch.GetTimestamp();
    }
}
