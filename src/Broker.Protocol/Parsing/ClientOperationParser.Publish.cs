using System.Runtime.CompilerServices;

namespace Broker.Protocol.Parsing;

// PUB subject [reply] size, HPUB subject [reply] header-size size; then the payload and CR LF.
public partial struct ClientOperationParser
{
    // Returns the operation's length, Incomplete or Failed.
    private int Publish<THandler>(
        ref byte start, int argumentsAt, int remaining, bool headers,
        ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, argumentsAt, remaining, _maxControlLine);
        if (status != ScanStatus.Complete)
        {
            return Stop(status, ref error);
        }

        int fewest = headers ? 3 : 2;
        if ((uint)(scan.Count - fewest) > 1)
        {
            error = ProtocolError.Malformed;
            return Failed;
        }

        int last = scan.Count - 1;
        int size = SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(last)), scan.Length(last));
        int headerLength = headers
            ? SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(last - 1)), scan.Length(last - 1))
            : -1;
        if ((uint)size > (uint)_maxPayload || headerLength > size || (headers && headerLength < 0))
        {
            error = size > _maxPayload ? ProtocolError.PayloadTooLarge : ProtocolError.Malformed;
            return Failed;
        }

        bool hasHeaders = headerLength > 0;
        if (!hasHeaders)
        {
            // A HPUB that announces no headers is a PUB, as for nats-server.
            headerLength = -1;
        }

        bool hasReply = scan.Count > fewest;
        bool canonical = scan.IsCanonical && headers == hasHeaders && !HasLeadingZero(ref start, scan, last)
            && (!headers || !HasLeadingZero(ref start, scan, last - 1));
        bool repeats = scan.Length(0) == _line.SubjectLength && scan.Start(0) == _line.SubjectStart
            && _memo.Repeats(ref start, _line.SubjectStart, _line.SubjectLength, remaining);
        _line = new PublishLine
        {
            SubjectStart = scan.Start(0),
            SubjectLength = scan.Length(0),
            ReplyStart = hasReply ? scan.Start(1) : 0,
            ReplyLength = hasReply ? scan.Length(1) : 0,
            HeaderLength = headerLength,
            PayloadStart = scan.LineLength,
            Size = size,
            Length = scan.LineLength + size + PublishLine.EndLength,
            IsCanonical = canonical,
            IsPlain = canonical && !hasHeaders && !hasReply,
        };
        return Deliver(ref start, repeats, remaining, ref handler, ref needed, ref goOn, ref error);
    }

    // The operation that the line begins, if it has wholly come.
    private int Deliver<THandler>(
        ref byte start, bool repeats, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        _memo.Forget();
        if (_line.Length > remaining)
        {
            needed = _line.Length;
            return Incomplete;
        }

        if (!_line.IsWhole(ref start, remaining))
        {
            error = ProtocolError.UnknownOperation;
            return Failed;
        }

        if (_line.IsCanonical)
        {
            _memo.Remember(ref start, _line.PayloadStart, remaining);
        }

        goOn = handler.OnPublish(new PublishOperation(ref start, ref _line, repeats));
        return _line.Length;
    }

    private static bool HasLeadingZero(ref byte start, in LineScan scan, int argument)
        => scan.Length(argument) > 1 && Unsafe.Add(ref start, scan.Start(argument)) == (byte)'0';

    private static int Stop(ScanStatus status, ref ProtocolError error)
    {
        if (status == ScanStatus.Incomplete)
        {
            return Incomplete;
        }

        // Clients take a CR for a separator of MSG: a subject with one, sent on, would end the connections of others.
        error = status == ScanStatus.TooLong ? ProtocolError.ControlLineTooLong : ProtocolError.Malformed;
        return Failed;
    }
}
