using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

// PUB subject [reply] size, HPUB subject [reply] header-size size; then the payload and CR LF.
public partial struct ClientOperationParser
{
    private const ushort CrLf = '\r' | ('\n' << 8);

    // Returns the operation's length, Incomplete or Failed; so do all below.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly int RepeatPublish<THandler>(
        ref byte start, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
        => Deliver(ref start, _memo.Length, remaining, canonical: true, repeats: true, ref handler, ref needed, ref goOn, ref error);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly int Deliver<THandler>(
        ref byte start, int line, int remaining, bool canonical, bool repeats,
        ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        int length = line + _size + 2;
        if (length > remaining)
        {
            needed = length;
            return Incomplete;
        }

        if (Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref start, length - 2)) != CrLf)
        {
            error = ProtocolError.UnknownOperation;
            return Failed;
        }

        int tailStart = _subjectStart + _subjectLength;
        var operation = new PublishOperation(
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, _subjectStart), _subjectLength),
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, _replyStart), _replyLength),
            _headerLength,
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, line), _size),
            canonical ? MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, tailStart), length - tailStart) : default,
            repeats);
        goOn = handler.OnPublish(in operation);
        return length;
    }

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
        bool repeats = scan.Length(0) == _subjectLength && scan.Start(0) == _subjectStart
            && _memo.Repeats(ref start, _subjectStart, _subjectLength, remaining);
        _subjectStart = scan.Start(0);
        _subjectLength = scan.Length(0);
        _replyStart = hasReply ? scan.Start(1) : 0;
        _replyLength = hasReply ? scan.Length(1) : 0;
        _headerLength = headerLength;
        _size = size;
        int length = Deliver(ref start, scan.LineLength, remaining, canonical, repeats, ref handler, ref needed, ref goOn, ref error);
        if (length > 0 && canonical)
        {
            _memo.Remember(ref start, scan.LineLength, remaining);
        }
        else
        {
            _memo.Forget();
        }

        return length;
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
