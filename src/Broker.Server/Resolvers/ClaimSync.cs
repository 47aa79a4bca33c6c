using System.Security.Cryptography;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Keeps the directory of a full resolver in step with those of other servers: at each interval, one of them sends the
/// accounts that this server does not have.
/// </summary>
internal sealed class ClaimSync : IMessageTargetHandler, IDisposable
{
    private const int TokenLength = 32;
    private const byte Separator = (byte)'|';

    private readonly ServerCore _core;
    private readonly ClaimChannel _channel;
    private readonly ClaimRequests _requests;
    private readonly AccountFiles _files;
    private readonly string _inbox = "_INBOX." + RandomNumberGenerator.GetHexString(TokenLength);
    private readonly Lock _gate = new();
    private MessageTarget? _target;
    private ITimer? _timer;
    private bool _isDisposed;

    internal ClaimSync(ServerCore core, ClaimChannel channel, ClaimRequests requests, AccountFiles files)
    {
        _core = core;
        _channel = channel;
        _requests = requests;
        _files = files;
    }

    /// <summary>Begins to ask in the system account, in place of an earlier system account.</summary>
    internal void Attach(Account system)
    {
        lock (_gate)
        {
            _target?.Dispose();
            if (_isDisposed)
            {
                return;
            }

            _target = _core.OpenTarget(system, this);
            _target.Subscribe(_inbox);
            TimeSpan interval = _files.Options.Interval;
            _timer ??= _core.Time.CreateTimer(static self => ((ClaimSync)self!).Ask(), this, interval, interval);
        }
    }

    /// <inheritdoc/>
    public void OnMessages(MessageBatch batch)
    {
        var accounts = new List<(string Account, string Jwt)>();
        foreach (DeliveredMessage message in batch)
        {
            int end = message.Body.IndexOf(Separator);
            if (end > 0 && message.Body.Length - end <= Jwt.MaxLength)
            {
                accounts.Add((Encoding.ASCII.GetString(message.Body[..end]), Encoding.ASCII.GetString(message.Body[(end + 1)..])));
            }
        }

        if (accounts.Count != 0 && _target is { } target)
        {
            // Signatures are verified and files written outside of the loop. The next messages wait for that in the
            // target, which drops those that do not fit; the server asks for them again after the interval.
            target.IsPaused = true;
            _ = MergeAsync(accounts, target);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer?.Dispose();
            _target?.Dispose();
        }
    }

    private void Ask() => _channel.AskForAll(_files.Hash, _inbox);

    private async Task MergeAsync(List<(string Account, string Jwt)> accounts, MessageTarget target)
    {
        await Task.Yield();
        try
        {
            foreach ((string account, string jwt) in accounts)
            {
                await _requests.MergeAsync(account, jwt).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _core.Log.Fault(e);
        }
        finally
        {
            target.IsPaused = false;
        }
    }
}
