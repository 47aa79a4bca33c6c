using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>The transport that connects the sockets of a test, and their context. One instance for each test.</summary>
public abstract class SocketTransport : IDisposable
{
    /// <summary>The context that the sockets are created with.</summary>
    public abstract ZeroMqContext? Context { get; }

    /// <summary>An endpoint to bind; another one at each call.</summary>
    public abstract string AnyEndpoint { get; }

    /// <summary>The same endpoint for both sides, whichever is first.</summary>
    public abstract string Named(string name);

    public virtual void Dispose()
    {
        Context?.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Sockets of the system, without a context.</summary>
    public sealed class OfSystem : SocketTransport
    {
        // Abstract names are global on the machine, where others may run the same tests.
        private readonly string _own = $"{Guid.NewGuid():N}";

        public override ZeroMqContext? Context => null;

        public override string AnyEndpoint => "tcp://127.0.0.1:*";

        public override string Named(string name) => $"ipc://@{name}-{_own}";
    }

    /// <summary>Inproc endpoints of a context with this many loops.</summary>
    public sealed class OfProcess(int loops) : SocketTransport
    {
        private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = loops });
        private ZeroMqContext? _context;

        public override ZeroMqContext Context => _context ??= new ZeroMqContext(_loops);

        public override string AnyEndpoint => $"inproc://{Guid.NewGuid():N}";

        public override string Named(string name) => "inproc://" + name;

        public override void Dispose()
        {
            base.Dispose();
            _loops.Dispose();
        }
    }
}
