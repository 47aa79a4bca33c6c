using System.Text;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Server.Tests.Harness;

/// <summary>
/// A server with a loop that runs on the thread of a test, and a clock that the test sets. Nothing happens except in
/// the test's calls. A test must not change its thread, so no test is asynchronous.
/// </summary>
internal sealed class DrivenBroker : IDisposable
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);

    private readonly VirtualTime _time = new();
    private readonly SynchronizationContext? _context = SynchronizationContext.Current;
    private readonly int _thread = Environment.CurrentManagedThreadId;

    internal DrivenBroker(Action<BrokerServerOptions>? configure = null)
    {
        // Continuations run within the call of the test and not on another thread.
        SynchronizationContext.SetSynchronizationContext(null);
        Task<BrokerServer> started = BrokerServer.StartAsync(
            o =>
            {
                o.LoopOptions = new EventLoopOptions { CallerDriven = true, TimeProvider = _time };
                configure?.Invoke(o);
            },
            CancellationToken.None);
        Server = Done(started);
        Loop.Attach();
    }

    internal BrokerServer Server { get; }

    /// <summary>The amount by which the wall clock is changed each time before time passes.</summary>
    internal TimeSpan ClockSetBy { get; set; }

    internal EventLoop Loop => Server.Loops[0];

    internal DateTime Now => _time.GetUtcNow().UtcDateTime;

    /// <summary>Returns the result of a task that needs no other thread.</summary>
    internal static T Done<T>(Task<T> task)
    {
        Assert.True(task.IsCompleted, "it waits for another thread");
        return task.GetAwaiter().GetResult();
    }

    /// <summary>Runs iterations of the loop until there is nothing more to do now.</summary>
    internal void Turn()
    {
        while (Loop.RunOnce(TimeSpan.Zero))
        {
        }
    }

    /// <summary>Advances the clock in steps and runs the due work after each step.</summary>
    internal void Pass(TimeSpan by)
    {
        _time.SetWallClock(ClockSetBy);
        Turn();
        for (TimeSpan left = by; left > TimeSpan.Zero; left -= Step)
        {
            _time.Advance(left < Step ? left : Step);
            Turn();
        }
    }

    /// <summary>Connects a client and sends text. Without a user the client has no credentials.</summary>
    internal Client Connect(string says, string? user = null)
    {
        var client = new Client(this);
        client.Connection = Server.ConnectInProcess(Loop, client, user);
        Turn();
        Assert.StartsWith("INFO {", client.Heard(), StringComparison.Ordinal);
        client.Say(says);
        return client;
    }

    public void Dispose()
    {
        Assert.True(Server.DisposeAsync().AsTask().IsCompletedSuccessfully, "it waits for another thread");
        SynchronizationContext.SetSynchronizationContext(_context);
    }

    internal sealed class Client(DrivenBroker broker) : ConnectionHandler
    {
        private readonly StringBuilder _text = new();

        internal Connection Connection { get; set; } = null!;

        internal bool AnswersPings { get; set; }

        /// <summary>The reason why the connection was closed; null while it is open.</summary>
        internal CloseReason? Closed { get; private set; }

        internal void Say(string text)
        {
            Connection.GetWriteBuffer(broker.Loop).Write(Encoding.ASCII.GetBytes(text));
            broker.Turn();
        }

        /// <summary>Returns the text that the client has received since the last call.</summary>
        internal string Heard()
        {
            string text = _text.ToString();
            _text.Clear();
            return text;
        }

        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            Assert.Equal(broker._thread, Environment.CurrentManagedThreadId);
            string text = Encoding.ASCII.GetString(bytes);
            _text.Append(text);
            if (AnswersPings && text == "PING\r\n")
            {
                connection.GetWriteBuffer(broker.Loop).Write("PONG\r\n"u8);
            }

            return bytes.Length;
        }

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error) => Closed = reason;
    }
}
