using System.Buffers.Text;

namespace Broker.Benchmarks.Parsing;

/// <summary>
/// A parser with one state for each byte of a line and a jump over each payload, after the idea of nats-server's
/// parser. It does not need whole lines: it collects arguments and payloads that are split between reads in its own
/// memory.
/// </summary>
internal sealed class ByteMachine
{
    private readonly byte[] _arguments = new byte[4096];
    private readonly byte[] _payload = new byte[PublishStream.MostBytes];
    private State _state;
    private int _argumentsKept;
    private int _payloadKept;
    private Range _subject;
    private Range _replyTo;
    private int _size;

    private enum State
    {
        Start,
        P,
        U,
        B,
        Blank,
        Arguments,
        Payload,
        Return,
        Feed,
    }

    /// <summary>Parses one read. Returns false if the stream is invalid.</summary>
    internal bool Receive<TSink>(ReadOnlySpan<byte> read, ref TSink sink)
        where TSink : struct, IPublishSink
    {
        int argumentsAt = 0;
        int payloadAt = 0;
        ReadOnlySpan<byte> line = _arguments.AsSpan(0, _argumentsKept);
        for (int i = 0; i < read.Length; i++)
        {
            byte value = read[i];
            switch (_state)
            {
                case State.Start when (value | 0x20) == 'p':
                    _state = State.P;
                    break;
                case State.P when (value | 0x20) == 'u':
                    _state = State.U;
                    break;
                case State.U when (value | 0x20) == 'b':
                    _state = State.B;
                    break;
                case State.B when value is (byte)' ' or (byte)'\t':
                    _state = State.Blank;
                    break;
                case State.Blank:
                    if (value is not ((byte)' ' or (byte)'\t'))
                    {
                        argumentsAt = i;
                        _argumentsKept = 0;
                        _state = State.Arguments;
                    }

                    break;
                case State.Arguments:
                    if (value == '\n')
                    {
                        if (!TryTakeLine(read[argumentsAt..i], out line))
                        {
                            return false;
                        }

                        payloadAt = i + 1;
                        _payloadKept = 0;
                        _state = _size == 0 ? State.Return : State.Payload;
                    }

                    break;
                case State.Payload:
                    // The bytes of a payload are skipped.
                    int step = Math.Min(_size - _payloadKept, read.Length - i);
                    payloadAt = i;
                    if (_payloadKept > 0 || step < _size)
                    {
                        read.Slice(i, step).CopyTo(_payload.AsSpan(_payloadKept));
                        _payloadKept += step;
                    }

                    _state = _payloadKept is 0 || _payloadKept == _size ? State.Return : State.Payload;
                    i += step - 1;
                    break;
                case State.Return when value == '\r':
                    _state = State.Feed;
                    break;
                case State.Feed when value == '\n':
                    sink.Publish(
                        line[_subject], line[_replyTo],
                        _payloadKept > 0 ? _payload.AsSpan(0, _size) : read.Slice(payloadAt, _size));
                    _argumentsKept = 0;
                    _payloadKept = 0;
                    _state = State.Start;
                    break;
                default:
                    return false;
            }
        }

        return Keep(read, argumentsAt, line, payloadAt);
    }

    // Keeps the bytes that the next read needs.
    private bool Keep(ReadOnlySpan<byte> read, int argumentsAt, ReadOnlySpan<byte> line, int payloadAt)
    {
        if (_state == State.Arguments)
        {
            return TryKeepArguments(read[argumentsAt..]);
        }

        if (_state >= State.Payload && _argumentsKept == 0)
        {
            line.CopyTo(_arguments);
            _argumentsKept = line.Length;
        }

        if (_state >= State.Return && _payloadKept == 0 && _size > 0)
        {
            read.Slice(payloadAt, _size).CopyTo(_payload);
            _payloadKept = _size;
        }

        return true;
    }

    private bool TryKeepArguments(ReadOnlySpan<byte> more)
    {
        if (!more.TryCopyTo(_arguments.AsSpan(_argumentsKept)))
        {
            return false;
        }

        _argumentsKept += more.Length;
        return true;
    }

    private bool TryTakeLine(ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> line)
    {
        line = rest;
        if (_argumentsKept > 0)
        {
            if (!TryKeepArguments(rest))
            {
                return false;
            }

            line = _arguments.AsSpan(0, _argumentsKept);
        }

        return TrySplit(line.TrimEnd((byte)'\r'));
    }

    private bool TrySplit(ReadOnlySpan<byte> line)
    {
        Span<Range> arguments = stackalloc Range[4];
        int count = 0;
        int start = -1;
        for (int i = 0; i < line.Length; i++)
        {
            if (line[i] is not ((byte)' ' or (byte)'\t'))
            {
                start = start < 0 ? i : start;
            }
            else if (start >= 0)
            {
                if (count == 3)
                {
                    return false;
                }

                arguments[count++] = start..i;
                start = -1;
            }
        }

        if (start >= 0)
        {
            arguments[count++] = start..line.Length;
        }

        if (count is not (2 or 3))
        {
            return false;
        }

        _subject = arguments[0];
        _replyTo = count == 3 ? arguments[1] : default;
        ReadOnlySpan<byte> size = line[arguments[count - 1]];
        return Utf8Parser.TryParse(size, out _size, out int taken) && taken == size.Length && (uint)_size <= (uint)_payload.Length;
    }
}
