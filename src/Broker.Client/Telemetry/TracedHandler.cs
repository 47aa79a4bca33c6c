using System.Diagnostics;
using Broker.Client.Subscriptions;

namespace Broker.Client.Telemetry;

/// <summary>A handler with a span around each message that it is given while somebody listens. On the connection's loop.</summary>
internal sealed class TracedHandler(ClientTracer tracer, MessageHandler handler)
{
    internal void Handle(in MessageView message)
    {
        if (tracer.IsHeard)
        {
            HandleHeard(in message);
        }
        else
        {
            handler(in message);
        }
    }

    private void HandleHeard(in MessageView message)
    {
        // A loop's thread still has what was current where it was started, which is no parent of this.
        Activity? before = Activity.Current;
        Activity.Current = null;
        try
        {
            using Activity? activity = tracer.StartProcess(message.Subscription, message.Subject, message.Headers, message.Body.Length);
            try
            {
                handler(in message);
            }
            catch (Exception e)
            {
                ClientTracer.Fail(activity, e);
                throw;
            }
        }
        finally
        {
            Activity.Current = before;
        }
    }
}
