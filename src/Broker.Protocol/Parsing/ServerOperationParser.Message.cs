using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

// MSG subject sid [reply] size, HMSG subject sid [reply] header-size size; then the payload and CR LF.
public partial struct ServerOperationParser
{
    private const ushort CrLf = '\r' | ('\n' << 8);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly int Deliver<THandler>(
        ref byte start, int line, int remaining, bool repeats,
        ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
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

        var operation = new MessageOperation(
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, _subjectStart), _subjectLength),
            _sid,
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, _replyStart), _replyLength),
            _headerLength,
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, line), _size),
            repeats);
        goOn = handler.OnMessage(in operation);
        return length;
    }

    private int Message<THandler>(
        ref byte start, int argumentsAt, int remaining, bool headers,
        ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, argumentsAt, remaining, _maxControlLine);
        if (status == ScanStatus.Incomplete)
        {
            return Incomplete;
        }

        int fewest = headers ? 4 : 3;
        if (status == ScanStatus.TooLong || (uint)(scan.Count - fewest) > 1)
        {
            error = status == ScanStatus.TooLong ? ProtocolError.ControlLineTooLong : ProtocolError.Malformed;
            return Failed;
        }

        int last = scan.Count - 1;
        int size = SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(last)), scan.Length(last));
        int headerLength = headers
            ? SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(last - 1)), scan.Length(last - 1))
            : -1;
        if ((uint)size > (uint)_maxPayload || headerLength > size || (headers && headerLength < 0)
            || !TryParseSid(ref Unsafe.Add(ref start, scan.Start(1)), scan.Length(1), out _sid))
        {
            error = size > _maxPayload ? ProtocolError.PayloadTooLarge : ProtocolError.Malformed;
            return Failed;
        }

        bool hasReply = scan.Count > fewest;
        _subjectStart = scan.Start(0);
        _subjectLength = scan.Length(0);
        _replyStart = hasReply ? scan.Start(2) : 0;
        _replyLength = hasReply ? scan.Length(2) : 0;
        _headerLength = headerLength;
        _size = size;
        int length = Deliver(ref start, scan.LineLength, remaining, false, ref handler, ref needed, ref goOn, ref error);
        if (length > 0)
        {
            _memo.Remember(ref start, scan.LineLength, remaining);
        }
        else
        {
            _memo.Forget();
        }

        return length;
    }

    private static bool TryParseSid(ref byte at, int length, out ulong sid)
    {
        const int MostDigits = 19;
        sid = 0;
        if (length > MostDigits)
        {
            return false;
        }

        for (int i = 0; i < length; i++)
        {
            uint digit = (uint)Unsafe.Add(ref at, i) - '0';
            if (digit > 9)
            {
                return false;
            }

            sid = (sid * 10) + digit;
        }

        return true;
    }
}
