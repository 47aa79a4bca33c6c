using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol;

// MSG subject sid [reply] size, HMSG subject sid [reply] header-size size; then the payload and CR LF.
public partial struct ServerOperationParser
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly int Deliver<THandler>(
        ref byte start, int line, int remaining, bool repeats,
        ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        int length = line + _size + OperationParsing.EndLength;
        if (length > remaining)
        {
            needed = length;
            return OperationParsing.Incomplete;
        }

        if (!OperationParsing.EndsWithCrLf(ref start, length))
        {
            return FailUnknown(ref error);
        }

        var operation = new MessageOperation(
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, _subjectStart), _subjectLength),
            _sid,
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, _replyStart), _replyLength),
            _headerLength,
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref start, line), _size),
            repeats);
        continues = handler.OnMessage(in operation);
        return length;
    }

    private int ParseMessage<THandler>(
        ref byte start, int argumentsAt, int remaining, bool headers,
        ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        var scan = default(LineScan);
        ScanStatus status = scan.Scan(ref start, argumentsAt, remaining, _maxControlLine);
        // The parser accepts a CR within a line, because the server is responsible for its lines.
        if (status is ScanStatus.Incomplete or ScanStatus.TooLong)
        {
            return OperationParsing.ToResult(status, ref error);
        }

        if (!PayloadSizes.TryRead(ref start, in scan, 2, headers, _maxPayload, out PayloadSizes sizes, ref error))
        {
            return OperationParsing.Failed;
        }

        if (!TryParseSid(ref Unsafe.Add(ref start, scan.Start(1)), scan.Length(1), out _sid))
        {
            return OperationParsing.Fail(ProtocolError.Malformed, ref error);
        }

        bool hasReply = sizes.HasReply;
        _subjectStart = scan.Start(0);
        _subjectLength = scan.Length(0);
        _replyStart = hasReply ? scan.Start(2) : 0;
        _replyLength = hasReply ? scan.Length(2) : 0;
        _headerLength = sizes.HeaderLength;
        _size = sizes.Size;
        int length = Deliver(ref start, scan.LineLength, remaining, false, ref handler, ref needed, ref continues, ref error);
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
