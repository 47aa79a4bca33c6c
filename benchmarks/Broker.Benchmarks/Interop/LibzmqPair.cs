namespace Broker.Benchmarks.Interop;

/// <summary>A PUSH and a PULL of libzmq in one process, without high-water marks. Messages wait at the PULL.</summary>
internal sealed unsafe class LibzmqPair : IDisposable
{
    private readonly nint _context = Libzmq.NewContext();
    private readonly nint _push;

    internal LibzmqPair()
    {
        Pull = Open(Libzmq.Pull, Libzmq.ReceiveHighWaterMark);
        Libzmq.Require(Libzmq.Bind(Pull, "inproc://benchmark"));
        _push = Open(Libzmq.Push, Libzmq.SendHighWaterMark);
        Libzmq.Require(Libzmq.Connect(_push, "inproc://benchmark"));
    }

    internal nint Pull { get; }

    internal void Send(ReadOnlySpan<byte> body)
    {
        fixed (byte* at = body)
        {
            Libzmq.Require(Libzmq.Send(_push, at, (nuint)body.Length, 0));
        }
    }

    public void Dispose()
    {
        _ = Libzmq.CloseSocket(_push);
        _ = Libzmq.CloseSocket(Pull);
        _ = Libzmq.EndContext(_context);
    }

    private nint Open(int type, int mark)
    {
        nint socket = Libzmq.OpenSocket(_context, type);
        Libzmq.Set(socket, mark, 0);
        return socket;
    }
}
