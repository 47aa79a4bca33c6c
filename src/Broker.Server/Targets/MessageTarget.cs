using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// A participant of an account's routing that is not a client: it subscribes, receives messages in batches on a loop of
/// the server, publishes, and can watch the interest of the account. Packages use targets to connect other systems or
/// to answer requests inside the server. <see cref="BrokerServer.AddTarget"/> creates a target.
/// </summary>
/// <remarks>
/// <para>A target has no permissions and no connection. Its subscriptions are neither counted nor listed by the server,
/// and its messages are not part of the server's message counters. It does not receive its own messages.</para>
/// <para>If a reload removes its account, the target receives no more messages: dispose the target.</para>
/// </remarks>
public sealed class MessageTarget : IDisposable
{
    private readonly Account _account;
    private readonly TargetQueue _queue;
    private readonly RoutingPublisher _publisher;
    private readonly TargetList _targets;
    private readonly Lock _gate = new();
    private readonly HashSet<TargetSubscription> _subscriptions = [];
    private readonly bool _watchesInterest;
    private bool _isDisposed;

    internal MessageTarget(
        LoopState state,
        TargetList targets,
        Account account,
        EventLoop loop,
        MessageTargetOptions options,
        IMessageTargetHandler handler)
    {
        _account = account;
        _queue = new TargetQueue(handler, loop, options.MaxPendingBytes, options.StallFastPublishers);
        _publisher = new RoutingPublisher(loop, state, account.Router) { ExcludedTarget = _queue };
        _targets = targets;
        Loop = loop;
        _watchesInterest = options.WatchInterest;
        if (_watchesInterest)
        {
            account.Router.Observe(_queue);
        }
    }

    /// <summary>The loop on which the handler is called.</summary>
    public EventLoop Loop { get; }

    /// <summary>The name of the account in which the target takes part.</summary>
    public string Account => _account.Name;

    /// <summary>The number of bytes that wait for the handler, including the batch that it is processing.</summary>
    public long PendingBytes => _queue.PendingBytes;

    /// <summary>
    /// The number of messages that were dropped because of <see cref="MessageTargetOptions.MaxPendingBytes"/>.
    /// </summary>
    public long DroppedMessages => _queue.DroppedMessages;

    /// <summary>
    /// Whether calls of the handler are paused. Meanwhile the target keeps all changes of interest, and messages up to
    /// <see cref="MessageTargetOptions.MaxPendingBytes"/>. Any thread may set this property; a call in progress is not
    /// interrupted.
    /// </summary>
    public bool IsPaused
    {
        get => _queue.IsPaused;
        set => _queue.IsPaused = value;
    }

    /// <summary>
    /// Subscribes to a filter. The handler receives all messages that are published after the method has returned. Any
    /// thread may call this method.
    /// </summary>
    /// <param name="filter">The filter, which may contain wildcards.</param>
    /// <param name="queueGroup">
    /// The queue group; null for no queue group. Clients may be members of the same group.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The filter is not valid, or the queue group is empty or has white space.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The target has been disposed.</exception>
    public TargetSubscription Subscribe(string filter, string? queueGroup = null)
    {
        ArgumentNullException.ThrowIfNull(filter);
        var subscription = new TargetSubscription(this, _queue, filter, queueGroup);
        if (!Subject.IsValidFilter(subscription.Routed.Filter))
        {
            throw new ArgumentException($"'{filter}' is not a valid filter of subjects.", nameof(filter));
        }

        if (queueGroup is not null && (queueGroup.Length == 0 || queueGroup.AsSpan().IndexOfAny(" \t\r\n") >= 0))
        {
            throw new ArgumentException("A queue group must not be empty or contain white space.", nameof(queueGroup));
        }

        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _subscriptions.Add(subscription);
            long work = 0;
            _account.Add(subscription.Routed, ref work);
        }

        return subscription;
    }

    /// <summary>
    /// Publishes a message in the target's account. Call this method on <see cref="Loop"/> only, for example in the
    /// handler. The bytes are copied before the method returns.
    /// </summary>
    /// <param name="subject">The subject.</param>
    /// <param name="payload">The headers, followed by the body. The server's maximum payload does not apply.</param>
    /// <param name="replyTo">The reply subject; empty for none.</param>
    /// <param name="headerLength">The number of header bytes at the start of the payload; 0 for none.</param>
    /// <returns>The number of receivers; 0 means that the message has no responder.</returns>
    /// <exception cref="ArgumentException">
    /// A subject is not valid, or the header length exceeds the payload.
    /// </exception>
    /// <exception cref="InvalidOperationException">The caller is not on the target's loop.</exception>
    public int Publish(
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> payload,
        ReadOnlySpan<byte> replyTo = default,
        int headerLength = 0)
    {
        var message = new RoutedMessage(subject, replyTo, headerLength == 0 ? -1 : headerLength, payload);
        Validate(in message);
        return _publisher.PublishAlone(in message);
    }

    /// <summary>
    /// Publishes a message to the subscribers of one subject, who see it with another subject, as messages of a stream
    /// are delivered. Subject mappings do not apply, and other servers do not receive the message. Call this method on
    /// <see cref="Loop"/> only. The bytes are copied before the method returns.
    /// </summary>
    /// <param name="to">The subject whose subscribers receive the message.</param>
    /// <param name="subject">The subject that they see.</param>
    /// <param name="payload">The headers, followed by the body. The server's maximum payload does not apply.</param>
    /// <param name="replyTo">The reply subject; empty for none.</param>
    /// <param name="headerLength">The number of header bytes at the start of the payload; 0 for none.</param>
    /// <returns>The number of receivers.</returns>
    /// <exception cref="ArgumentException">
    /// A subject is not valid, or the header length exceeds the payload.
    /// </exception>
    /// <exception cref="InvalidOperationException">The caller is not on the target's loop.</exception>
    public int Deliver(
        ReadOnlySpan<byte> to,
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> payload,
        ReadOnlySpan<byte> replyTo = default,
        int headerLength = 0)
    {
        if (!Subject.IsValidLiteral(to))
        {
            throw new ArgumentException("The subject of the subscribers must be valid and have no wildcards.", nameof(to));
        }

        var message = new RoutedMessage(subject, replyTo, headerLength == 0 ? -1 : headerLength, payload);
        Validate(in message);
        return _publisher.PublishAlone(in message, to);
    }

    /// <summary>
    /// Ends all subscriptions and discards the waiting messages. No further call of the handler begins; a call in
    /// progress on another thread continues.
    /// </summary>
    public void Dispose()
    {
        TargetSubscription[] subscriptions;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            subscriptions = [.. _subscriptions];
            _subscriptions.Clear();
        }

        if (_watchesInterest)
        {
            _account.Router.StopObserving(_queue);
        }

        Array.ForEach(subscriptions, subscription => _account.Remove(subscription.Routed));
        _queue.Close();
        _targets.Remove(this);
    }

    private void Validate(in RoutedMessage message)
    {
        if (!Loop.IsCurrent)
        {
            throw new InvalidOperationException("A target can only publish on its loop.");
        }

        if (!Subject.IsValidLiteral(message.Subject) || (!message.ReplyTo.IsEmpty && !Subject.IsValidLiteral(message.ReplyTo)))
        {
            throw new ArgumentException("Subject and reply subject must be valid and have no wildcards.", nameof(message));
        }

        if (message.HeaderLength < -1 || message.HeaderLength > message.Payload.Length)
        {
            throw new ArgumentException("The headers must be a part of the payload.", nameof(message));
        }
    }

    internal void Remove(TargetSubscription subscription)
    {
        lock (_gate)
        {
            _subscriptions.Remove(subscription);
        }

        _account.Remove(subscription.Routed);
    }

    /// <summary>Applies changed stream imports of the account to the subscriptions.</summary>
    internal void ApplyImports()
    {
        lock (_gate)
        {
            foreach (TargetSubscription subscription in _subscriptions)
            {
                _account.ApplyImports(subscription.Routed);
            }
        }
    }
}
