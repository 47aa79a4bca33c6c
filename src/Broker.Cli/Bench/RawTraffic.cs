using System.Buffers;
using System.Text;
using Broker.Client;
using Broker.Protocol;

namespace Broker.Cli.Bench;

/// <summary>
/// NATS clients that are not the client library: blocking sockets, and a thread for each. They send bytes that were
/// encoded before, and count what they receive, so that the measured rate is the server's.
/// </summary>
/// <param name="settings">The traffic.</param>
/// <param name="options">The servers and the credentials.</param>
/// <param name="isRefused">Returns whether the server has refused a part of the traffic.</param>
internal sealed class RawTraffic(BenchSettings settings, ClientOptions options, Func<bool> isRefused) : IBenchTraffic
{
    private const int StackBytes = 256 * 1024;
    private const int MostBufferBytes = 128 * 1024;
    private const int LeastBufferBytes = 16 * 1024;
    private const int AllBufferBytes = 64 * 1024 * 1024;

    private readonly List<RawLink> _links = [];
    private readonly List<Thread> _threads = [];
    private readonly List<RawLink> _senders = [];
    private readonly ReadOnlyMemory<byte>[] _bodies = settings.Size.CreateBodies();
    private readonly string[] _subjects = [.. Enumerable.Range(0, settings.Subjects).Select(number => settings.SubjectOf(number))];
    private readonly RawErrors _errors = new(text => options.OnServerError?.Invoke(null!, text));
    private PublishFrames? _frames;
    private RawDialer _dialer = null!;
    private volatile bool _isClosed;

    public string Server { get; private set; } = "";

    public string? Address => Server;

    public BenchCounts Counts { get; } = new();

    public bool WasRefused => isRefused();

    // Many connections have small buffers.
    private int BufferBytes => Math.Clamp(AllBufferBytes / (settings.Publishers + settings.Subscribers), LeastBufferBytes, MostBufferBytes);

    public async Task OpenAsync(CancellationToken stop)
    {
        await CheckAsync(stop);
        for (int i = 0; settings.Pattern != BenchPattern.Publish && i < settings.Subscribers; i++)
        {
            await SubscribeAsync(stop);
        }

        for (int i = 0; i < settings.Publishers; i++)
        {
            _senders.Add(await ConnectAsync(stop));
        }

        if (settings.Pattern != BenchPattern.Request)
        {
            _frames = new PublishFrames(_subjects, _bodies);
        }
    }

    public Task[] Start(CancellationToken end)
    {
        Task[] loops = [.. _senders.Select((link, i) => RunAsync(link, settings.Share(settings.Publishers, i), end))];
        // A connection that is lost must end the wait for all of them.
        return [.. loops.Select(loop => Task.WhenAny(loop, _errors.Failure).Unwrap())];
    }

    public ValueTask DisposeAsync()
    {
        _isClosed = true;
        _links.ForEach(static link => link.Dispose());
        _threads.ForEach(static thread => thread.Join());
        return ValueTask.CompletedTask;
    }

    // The client library finds the server, and explains why a subject, a body or the credentials are refused.
    private async Task CheckAsync(CancellationToken stop)
    {
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(options, stop);
        Server = client.Server ?? "";
        ServerAddress address = options.Servers.Select(ServerAddress.Parse).First(known => known.ToString() == Server);
        _dialer = new RawDialer(address, options);
        if (!Subject.IsValidLiteral(Encoding.UTF8.GetBytes(_subjects[0])) || client.ServerInfo?.MaxPayload < settings.Size.Most)
        {
            await client.PublishAsync(_subjects[0], new byte[settings.Size.Most], cancellationToken: stop);
        }
    }

    private async Task<RawLink> ConnectAsync(CancellationToken stop)
    {
        RawLink link = await _dialer.ConnectAsync(stop);
        _links.Add(link);
        return link;
    }

    private async Task SubscribeAsync(CancellationToken stop)
    {
        RawLink link = await ConnectAsync(stop);
        string? queue = settings.Queue ?? (settings.Pattern == BenchPattern.Request ? "bench" : null);
        var subscribed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        link.Send(Encoding.UTF8.GetBytes($"SUB {settings.Filter} {(queue is null ? "" : queue + " ")}1\r\nPING\r\n"));
        if (settings.Pattern == BenchPattern.Request)
        {
            Run(() => Respond(link, subscribed));
        }
        else
        {
            BenchCounter counter = Counts.AddReceiver();
            Run(() => Receive(link, new RawSubscriber(link, counter, _errors, () => subscribed.TrySetResult()), BufferBytes));
        }

        await Task.WhenAny(subscribed.Task, _errors.Failure).Unwrap().WaitAsync(stop);
    }

    private Task RunAsync(RawLink link, long share, CancellationToken end)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (settings.Pattern == BenchPattern.Request)
        {
            var requester = new RawRequester(link, settings, Counts, _errors, _bodies, [.. _subjects.Select(Encoding.UTF8.GetBytes)], share, end);
            Run(() => Request(link, requester, ended));
            return ended.Task;
        }

        BenchCounter counter = Counts.AddSender();
        // Everything that was sent has reached the server when it answers the PING.
        Run(() => Receive(link, new RawSubscriber(link, null, _errors, () => ended.TrySetResult()), LeastBufferBytes));
        Run(() => Publish(link, counter, share, end));
        return ended.Task;
    }

    private void Publish(RawLink link, BenchCounter counter, long share, CancellationToken end)
    {
        byte[] scratch = [];
        for (long sent = 0; sent < share && !end.IsCancellationRequested;)
        {
            long before = sent;
            link.Send(_frames!.Next(ref sent, share - sent, ref scratch, out long bytes));
            counter.Count(sent - before, bytes);
        }

        link.Send("PING\r\n"u8);
    }

    private void Receive(RawLink link, RawSubscriber subscriber, int bufferBytes)
    {
        var reader = new RawReader(link, bufferBytes, options.MaxPayload);
        while (true)
        {
            reader.Read(ref subscriber);
            subscriber.Count();
        }
    }

    private void Respond(RawLink link, TaskCompletionSource subscribed)
    {
        var reader = new RawReader(link, BufferBytes, options.MaxPayload);
        var responder = new RawResponder(link, new ArrayBufferWriter<byte>(), _errors, subscribed);
        while (true)
        {
            reader.Read(ref responder);
            responder.Send();
        }
    }

    private void Request(RawLink link, RawRequester requester, TaskCompletionSource ended)
    {
        link.ReceiveTimeout = options.RequestTimeout;
        var reader = new RawReader(link, BufferBytes, options.MaxPayload);
        requester.Begin();
        requester.Send();
        while (requester.Waiting > 0)
        {
            if (!reader.Read(ref requester))
            {
                requester.GiveUp();
            }

            requester.Send();
        }

        ended.TrySetResult();
    }

    private void Run(Action loop)
    {
        var thread = new Thread(() => RunLoop(loop), StackBytes) { IsBackground = true, Name = "bench" };
        _threads.Add(thread);
        thread.Start();
    }

    private void RunLoop(Action loop)
    {
        try
        {
            loop();
        }
        catch (Exception e) when (e is IOException or ClientException)
        {
            if (!_isClosed)
            {
                _errors.Fail(e);
            }
        }
    }
}
