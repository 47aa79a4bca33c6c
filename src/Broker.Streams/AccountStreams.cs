using System.Text;
using Broker.Server;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// The streams of one account of a server, and the JetStream API for them. Messages and requests are handled on one
/// loop of the server; a thread of each store writes, and one more reads.
/// </summary>
internal sealed partial class AccountStreams : IMessageTargetHandler, IAsyncDisposable
{
    private const string ApiPrefix = "$JS.API.";

    // The bytes of answers that wait, above which no more messages are handled.
    private const long MaxPendingBytes = 32 * 1024 * 1024;
    private const int MaxWaitingReads = 4096;

    private static readonly TimeSpan LeastExpiryPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan GreatestExpiryPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan PauseCheck = TimeSpan.FromMilliseconds(5);

    private readonly MessageTarget _input;
    private readonly MessageTarget _output;
    private readonly StreamStores _stores;
    private readonly ReadWorker _reads;
    private readonly PendingReplies _pending = new();
    private readonly StreamTable _streams = new();
    private readonly StreamWriter _writer;
    private readonly Responder _responder;
    private readonly ApiRequests _api;
    private readonly ConsumerHost _host;
    private readonly StoreOutcomes _outcomes;
    private readonly InterestTable _interest;
    private readonly Dictionary<TargetSubscription, byte[]> _apiSubscriptions = [];
    private readonly TimeProvider _clock;
    private readonly Action _checkPause;
    private readonly Action<Exception> _onFault;
    private TargetSubscription? _acks;
    private TargetSubscription? _flows;
    private LoopTimer? _expiry;
    private LoopTimer? _pauseCheck;
    private bool _isDisposed;

    private AccountStreams(BrokerServer server, AccountStreamsOptions options, StreamStores stores)
    {
        _stores = stores;
        _clock = options.Store.Clock;
        _onFault = options.OnFault;
        _input = server.AddTarget(this, new MessageTargetOptions { Account = options.Account });
        _output = server.AddTarget(new Sink(), new MessageTargetOptions { Account = options.Account, Loop = _input.Loop });
        _reads = new ReadWorker(_input.Loop, options.OnFault);
        _checkPause = CheckPause;
        _responder = new Responder(_output, options.Domain);
        Responder responder = _responder;
        var reports = new StoreReports(_input.Loop, HandleReports);
        _writer = new StreamWriter(_pending, responder, reports);
        var faults = new StreamFaults(options.OnFault);
        _host = new ConsumerHost(responder, _pending, reports, _reads, _input.Loop, _clock, faults);
        _outcomes = new StoreOutcomes(_streams, _pending, _writer, responder, _host, faults);
        _interest = new InterestTable(server, options.Account, _input.Loop);
        var context = new ApiContext
        {
            Input = _input,
            Limits = options.Limits,
            Streams = _streams,
            Stores = stores,
            Pending = _pending,
            Reports = reports,
            Responder = responder,
            Reads = _reads,
            Clock = _clock,
            AddConsumer = Add,
        };
        _api = new ApiRequests(context, _host);
    }

    /// <summary>The push consumers that are watched, with deleted ones that are not forgotten yet. For tests.</summary>
    internal int WatchedConsumers => _interest.Count;

    /// <summary>The store on the disk. For tests.</summary>
    internal StreamStore Disk => _stores.Disk;

    /// <summary>The findings of the start of the store.</summary>
    internal RecoveryReport Recovery => _stores.Disk.Recovery;

    /// <summary>Opens the store and serves its streams. They receive messages when the task has completed.</summary>
    /// <exception cref="StoreException">The directory cannot be used as a store.</exception>
    internal static Task<AccountStreams> StartAsync(BrokerServer server, AccountStreamsOptions options)
        => StartAsync(server, options, new DiskFiles(options.Directory));

    /// <inheritdoc cref="StartAsync(BrokerServer, AccountStreamsOptions)"/>
    internal static async Task<AccountStreams> StartAsync(BrokerServer server, AccountStreamsOptions options, IStoreFiles files)
    {
        var stores = new StreamStores(files, options.Store);
        try
        {
            ServedStream[] found = [.. stores.Disk.Streams().Select(stream => StreamLoader.Load(stores.Disk, stream, options.Store.Clock))];
            var streams = new AccountStreams(server, options, stores);
            var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            streams._input.Loop.Run(() => streams.Begin(options, found, started));
            await started.Task.ConfigureAwait(false);
            return streams;
        }
        catch
        {
            stores.Dispose();
            throw;
        }
    }

    public void OnMessages(MessageBatch batch)
    {
        StreamStore? held = null;
        StoreBatch store = default;
        long now = 0;
        try
        {
            foreach (DeliveredMessage message in batch)
            {
                try
                {
                    if (_streams.TryGet(message.Subscription, out ServedStream? stream))
                    {
                        if (held != stream.Store)
                        {
                            End(store, ref held);
                            store = stream.Store.Begin();
                            held = stream.Store;
                        }

                        _writer.Write(store, stream, message);
                    }
                    else if (_apiSubscriptions.TryGetValue(message.Subscription, out byte[]? prefix))
                    {
                        End(store, ref held);
                        Handle(message, prefix);
                    }
                    else
                    {
                        Handle(message, ref now);
                    }
                }
                catch (Exception e) when (e is not OutOfMemoryException)
                {
                    // The other messages of the batch belong to other clients.
                    _onFault(e);
                }
            }
        }
        finally
        {
            End(store, ref held);
            _host.Flush();
            UpdatePause();
        }
    }

    /// <summary>Ends the subscriptions, writes what is queued, and closes the stores.</summary>
    public async ValueTask DisposeAsync()
    {
        _input.Dispose();
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!_input.Loop.TryPost(() => End(ended)))
        {
            ended.SetResult();
        }

        await ended.Task.ConfigureAwait(false);
        _reads.Dispose();

        // The last group is written and reported on the loop, so that its publishers learn of it.
        await Task.Run(_stores.Dispose).ConfigureAwait(false);
        ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (_input.Loop.TryPost(ended.SetResult))
        {
            await ended.Task.ConfigureAwait(false);
        }

        _output.Dispose();
    }

    private static void End(in StoreBatch batch, ref StreamStore? held)
    {
        if (held is not null)
        {
            held = null;
            batch.Dispose();
        }
    }

    // A push consumer may deliver to any subject. Its messages have the subject of the stored message, which need not
    // match the subscription that receives them. Such a message is no request.
    private void Handle(in DeliveredMessage message, byte[] prefix)
    {
        if (message.Subject.StartsWith(prefix))
        {
            _api.Handle(message, prefix.Length);
        }
    }

    private void Handle(in DeliveredMessage message, ref long now)
    {
        if (message.Subscription == _acks)
        {
            now = now == 0 ? _host.Now : now;
            ConsumerSubjects.Acknowledge(_streams, message, now);
        }
        else if (message.Subscription == _flows)
        {
            ConsumerSubjects.EndFlow(_streams, message);
        }
    }

    private void End(TaskCompletionSource ended)
    {
        _isDisposed = true;
        _interest.Dispose();
        _host.End();
        foreach (ServedConsumer consumer in _streams.All.SelectMany(static stream => stream.Consumers.Values))
        {
            consumer.Close();
        }

        _expiry?.Cancel();
        _pauseCheck?.Cancel();
        ended.SetResult();
    }

    private void Begin(AccountStreamsOptions options, ServedStream[] found, TaskCompletionSource started)
    {
        try
        {
            foreach (ServedStream stream in found)
            {
                _streams.Add(stream, _input);
                foreach (ServedConsumer consumer in StreamLoader.LoadConsumers(stream, _host))
                {
                    Add(consumer);
                }

                stream.Sweep(_host);
            }

            _acks = _input.Subscribe(ConsumerSubjects.Acks);
            _flows = _input.Subscribe(ConsumerSubjects.Flows);

            SubscribeApi(ApiPrefix);
            if (options.Domain is { } domain)
            {
                SubscribeApi($"$JS.{domain}.API.");
            }

            _host.Flush();
            ArmExpiry();
            started.SetResult();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            started.SetException(e);
        }
    }

    private void SubscribeApi(string prefix) => _apiSubscriptions.Add(_input.Subscribe(prefix + ">"), Encoding.UTF8.GetBytes(prefix));

    private void HandleReports(ReadOnlySpan<StoreReports.Report> reports)
    {
        _outcomes.Handle(reports);
        _host.Flush();
        UpdatePause();
        ArmExpiry();
    }

    private void Add(ServedConsumer consumer)
    {
        consumer.Stream.Consumers[consumer.Name] = consumer;
        consumer.Stream.RemoveInactive ??= _api.RemoveInactive;
        if (consumer.IsPush)
        {
            _interest.Add(consumer);
        }
    }

    private void CheckPause()
    {
        if (!_isDisposed)
        {
            _host.Flush();
            UpdatePause();
        }
    }

    // While too much waits for the disk, messages wait in the target, which slows down their publishers.
    private void UpdatePause()
    {
        if (_isDisposed)
        {
            return;
        }

        bool isBusy = _stores.IsBusy || _pending.Bytes + _api.WaitingBytes > MaxPendingBytes || _reads.Waiting > MaxWaitingReads;
        if (_input.IsPaused != isBusy)
        {
            _input.IsPaused = isBusy;
        }

        if (isBusy && _pauseCheck is not { IsPending: true })
        {
            _pauseCheck = Restart(_pauseCheck, PauseCheck, _checkPause);
        }
    }

    private LoopTimer Restart(LoopTimer? timer, TimeSpan due, Action callback)
    {
        if (timer is null)
        {
            return _input.Loop.StartTimer(due, callback);
        }

        timer.Restart(due);
        return timer;
    }

    private void ArmExpiry()
    {
        if (_isDisposed || _expiry is { IsPending: true } || !_streams.HasAges)
        {
            return;
        }

        long next = _stores.All.Min(static store => store.NextExpiry);
        if (next != long.MaxValue)
        {
            long wait = next - _clock.GetUtcNow().UtcTicks;
            var due = TimeSpan.FromTicks(Math.Clamp(wait, LeastExpiryPause.Ticks, GreatestExpiryPause.Ticks));
            _expiry = Restart(_expiry, due, Expire);
        }
    }

    private void Expire()
    {
        foreach (StreamStore store in _stores.All)
        {
            store.Expire();
        }

        ArmExpiry();
    }

    /// <summary>The target that publishes answers receives nothing.</summary>
    private sealed class Sink : IMessageTargetHandler
    {
        public void OnMessages(MessageBatch batch)
        {
        }
    }
}
