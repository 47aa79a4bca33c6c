using System.Text;
using Broker.Client;
using Broker.Protocol;

namespace Broker.Testing;

/// <summary>
/// Records the messages that are published to the subjects of a filter, in order of arrival, and compares them with the
/// expectations of a test.
/// </summary>
/// <remarks>
/// Thread-safe. A failed expectation throws an <see cref="ExpectationException"/> that contains the recorded messages.
/// A recorder stores up to <see cref="MaxMessages"/> messages, or 64 MiB. If more messages arrive, every later
/// expectation fails.
/// </remarks>
public sealed class MessageRecorder : IAsyncDisposable
{
    /// <summary>The largest number of messages that a recorder stores.</summary>
    public const int MaxMessages = 100_000;

    private const long MostBytes = 64L * 1024 * 1024;

    private readonly BrokerConnection _connection;
    private readonly RecorderRegister? _register;
    private readonly TimeSpan _assertTimeout;
    private readonly Lock _gate = new();
    private readonly List<RecordedMessage> _messages = [];
    private TaskCompletionSource _changed = NewSignal();
    private Subscription? _subscription;
    private long _bytes;
    private bool _overflowed;
    private int _disposed;

    private MessageRecorder(BrokerConnection connection, string filter, RecorderRegister? register, TimeSpan? waitTimeout)
    {
        _connection = connection;
        _register = register;
        Filter = filter;
        WaitTimeout = waitTimeout ?? Waiting.DefaultTimeout;
        _assertTimeout = waitTimeout ?? Waiting.DefaultAssertTimeout;
    }

    /// <summary>The filter of the recorded subjects.</summary>
    public string Filter { get; }

    /// <summary>
    /// The time after which a wait fails. Default: 30 s, or the value of the broker that created the recorder. If no
    /// value was set, the assertions fail earlier: when no message has come for 2 s.
    /// </summary>
    public TimeSpan WaitTimeout { get; }

    /// <summary>A copy of the messages that have been recorded so far, in order of arrival.</summary>
    public IReadOnlyList<RecordedMessage> Messages
    {
        get
        {
            lock (_gate)
            {
                return [.. _messages];
            }
        }
    }

    /// <summary>
    /// Starts to record over a connection of the caller. The connection can be to any server. Each message that is
    /// published after the method's task has completed is recorded.
    /// </summary>
    /// <param name="connection">
    /// The connection. The caller still owns it, and must dispose the recorder before the connection.
    /// </param>
    /// <param name="filter">
    /// The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or more tokens.
    /// </param>
    /// <param name="waitTimeout">The time after which a wait fails. Null means the default.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="ArgumentException">The filter is not valid.</exception>
    /// <exception cref="ConnectionLostException">No server is connected.</exception>
    public static Task<MessageRecorder> StartAsync(
        BrokerConnection connection, string filter, TimeSpan? waitTimeout = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (waitTimeout is { } limit)
        {
            Waiting.Validate(limit);
        }

        return StartAsync(connection, filter, null, waitTimeout, cancellationToken);
    }

    internal static async Task<MessageRecorder> StartAsync(
        BrokerConnection connection, string filter, RecorderRegister? register, TimeSpan? waitTimeout, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(filter);
        var recorder = new MessageRecorder(connection, filter, register, waitTimeout);
        // The filter is in the register from before the server gets the subscription until after the server has ended
        // it.
        register?.Add(filter);
        try
        {
            recorder._subscription = connection.Subscribe(filter, recorder.Take);
            await connection.PingAsync(cancellationToken).ConfigureAwait(false);
            return recorder;
        }
        catch
        {
            await recorder.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Waits until at least this many messages have been recorded.</summary>
    /// <returns>All recorded messages.</returns>
    /// <exception cref="ExpectationException">
    /// Fewer messages were recorded within <see cref="WaitTimeout"/>.
    /// </exception>
    public Task<IReadOnlyList<RecordedMessage>> WaitForCountAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        return WaitAsync<IReadOnlyList<RecordedMessage>>(
            m => m.Count >= count ? [.. m] : null, () => $"at least {Expectations.Count(count, "message")}", cancellationToken);
    }

    /// <summary>Waits for a message to the subjects of a filter, optionally with a given text.</summary>
    /// <param name="subject">A subject or a filter.</param>
    /// <param name="text">The expected body as UTF-8 text. Null means any body.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The first matching message, which may have been recorded before the call.</returns>
    /// <exception cref="ExpectationException">
    /// No such message was recorded within <see cref="WaitTimeout"/>.
    /// </exception>
    public Task<RecordedMessage> WaitForAsync(string subject, string? text = null, CancellationToken cancellationToken = default)
    {
        byte[] filter = Encoding.UTF8.GetBytes(subject ?? throw new ArgumentNullException(nameof(subject)));
        return WaitAsync(
            messages => messages.Find(m => Subject.Matches(filter, Encoding.UTF8.GetBytes(m.Subject))
                && (text is null || string.Equals(m.Text, text, StringComparison.Ordinal))),
            () => $"a message '{subject}{(text is null ? "" : $": {text}")}'",
            cancellationToken);
    }

    /// <summary>Waits for a message that matches a predicate.</summary>
    /// <param name="holds">
    /// The predicate. It is called for each message, on any thread, and may be called several times for a message.
    /// </param>
    /// <param name="what">The description of the expected message for the text of a failure.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The first matching message, which may have been recorded before the call.</returns>
    /// <exception cref="ExpectationException">
    /// No such message was recorded within <see cref="WaitTimeout"/>.
    /// </exception>
    public Task<RecordedMessage> WaitForAsync(Predicate<RecordedMessage> holds, string what, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(holds);
        ArgumentNullException.ThrowIfNull(what);
        return WaitAsync(messages => messages.Find(holds), () => what, cancellationToken);
    }

    /// <summary>
    /// Waits until at least as many messages as texts have been recorded, and then compares: the recorded bodies must
    /// be exactly these texts in this order. Messages that a publisher has flushed before this call are included in the
    /// comparison. The wait ends at once if a recorded message has another text.
    /// </summary>
    /// <exception cref="ExpectationException">
    /// Other messages, or a different number of messages, were recorded. If messages are missing, the method waits for
    /// them until none has come for 2 s, or for <see cref="WaitTimeout"/> if it was set.
    /// </exception>
    public async Task AssertTextsAsync(params string[] texts)
    {
        ArgumentNullException.ThrowIfNull(texts);
        await WaitAsync<object>(
            recorded => recorded.Count >= texts.Length || !recorded.Select(static m => m.Text).SequenceEqual(texts.Take(recorded.Count), StringComparer.Ordinal) ? this : null,
            () => $"at least {Expectations.Count(texts.Length, "message")}",
            CancellationToken.None,
            isAssertion: true).ConfigureAwait(false);
        await SettleAsync(CancellationToken.None).ConfigureAwait(false);
        IReadOnlyList<RecordedMessage> came = Messages;
        if (!came.Select(m => m.Text).SequenceEqual(texts, StringComparer.Ordinal))
        {
            throw Failure($"exactly the texts {string.Join(", ", texts.Select(t => $"'{t}'"))}", came);
        }
    }

    /// <summary>
    /// Succeeds if exactly this number of messages has been recorded. Messages that a publisher has flushed before this
    /// call are counted. With 0, the method asserts that there is no message.
    /// </summary>
    /// <exception cref="ExpectationException">
    /// More messages were recorded, or fewer. If messages are missing, the method waits for them until none has come
    /// for 2 s, or for <see cref="WaitTimeout"/> if it was set.
    /// </exception>
    public async Task AssertCountAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        await WaitAsync<object>(
            recorded => recorded.Count >= count ? this : null,
            () => $"at least {Expectations.Count(count, "message")}",
            cancellationToken,
            isAssertion: true).ConfigureAwait(false);
        await SettleAsync(cancellationToken).ConfigureAwait(false);
        IReadOnlyList<RecordedMessage> came = Messages;
        if (came.Count != count)
        {
            throw Failure($"exactly {Expectations.Count(count, "message")}", came);
        }
    }

    /// <summary>Removes the recorded messages.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            _messages.Clear();
            _bytes = 0;
            _overflowed = false;
        }
    }

    /// <summary>Stops recording. The recorded messages can still be read.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        _subscription?.Unsubscribe();
        try
        {
            // The filter stays in the register until the server has ended the recorder's subscription.
            await _connection.PingAsync().ConfigureAwait(false);
        }
        catch (ClientException)
        {
            // The connection to the server is lost, so the server has no subscription either.
        }

        _register?.Remove(Filter);
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Runs on the connection's loop.
    private void Take(in MessageView view)
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
            int size = view.Subject.Length + view.ReplyTo.Length + view.Headers.Length + view.Body.Length;
            if (_messages.Count >= MaxMessages || _bytes + size > MostBytes)
            {
                _overflowed = true;
            }
            else
            {
                _messages.Add(new RecordedMessage(view.ToMessage()));
                _bytes += size;
            }

            changed = _changed;
            _changed = NewSignal();
        }

        changed.TrySetResult();
    }

    // Messages that the server had for this connection before the PING arrive before the PONG.
    private async Task SettleAsync(CancellationToken cancellationToken)
    {
        await _connection.PingAsync(cancellationToken).WaitAsync(WaitTimeout, cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            ThrowIfOverflowed();
        }
    }

    // The time of an assertion begins anew with each message: on a slow machine messages come late, but they come.
    private async Task<T> WaitAsync<T>(
        Func<List<RecordedMessage>, T?> find, Func<string> what, CancellationToken cancellationToken, bool isAssertion = false)
        where T : class
    {
        TimeSpan timeout = isAssertion ? _assertTimeout : WaitTimeout;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                ThrowIfOverflowed();
                if (find(_messages) is { } found)
                {
                    return found;
                }

                changed = _changed.Task;
            }

            try
            {
                await changed.WaitAsync(limit.Token).ConfigureAwait(false);
                if (isAssertion)
                {
                    limit.CancelAfter(timeout);
                }
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw Failure(what(), Messages, timeout);
            }
        }
    }

    private ExpectationException Failure(string expected, IReadOnlyList<RecordedMessage> came, TimeSpan? waited = null)
        => new(Expectations.Text(
            $"Expected {expected} on '{Filter}'{(waited is { } time ? $" within {Waiting.Describe(time)}" : "")}. Recorded messages:",
            [.. came.Select(m => m.ToString())]));

    // The caller holds _gate.
    private void ThrowIfOverflowed()
    {
        if (_overflowed)
        {
            throw new ExpectationException(
                $"More messages came on '{Filter}' than a recorder stores ({Expectations.Count(_messages.Count, "message")}, {_bytes} bytes). Use a narrower filter, or call Clear in between.");
        }
    }
}
