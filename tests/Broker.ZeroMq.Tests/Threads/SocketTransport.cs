using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>By what the sockets of a test are joined, and the context for it. One for each test.</summary>
public abstract class SocketTransport : IDisposable
{
    /// <summary>What sockets are made with.</summary>
    public abstract ZeroMqContext? Context { get; }

    /// <summary>Where to bind; another one each time.</summary>
    public abstract string AnyEndpoint { get; }

    /// <summary>The same endpoint for both sides, whoever is first.</summary>
    public abstract string Named(string name);

    public virtual void Dispose()
    {
        Context?.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>The system's sockets, without a context.</summary>
    public sealed class OfSystem : SocketTransport
    {
        // Names are the machine's, where others may run the same tests.
        private readonly string _own = $"{Guid.NewGuid():N}";

        public override ZeroMqContext? Context => null;

        public override string AnyEndpoint => "tcp://127.0.0.1:*";

        public override string Named(string name) => $"ipc://@{name}-{_own}";
    }

    /// <summary>Names of a context with so many loops.</summary>
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
