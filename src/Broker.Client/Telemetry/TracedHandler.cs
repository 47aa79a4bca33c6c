using System.Diagnostics;

namespace Broker.Client;

/// <summary>
/// Calls a handler with a span around each message if there is a listener. Used on the connection's loop.
/// </summary>
internal sealed class TracedHandler(ClientTracer tracer, MessageHandler handler)
{
    internal void Handle(in MessageView message)
    {
        if (tracer.HasListeners)
        {
            HandleTraced(in message);
        }
        else
        {
            handler(in message);
        }
    }

    private void HandleTraced(in MessageView message)
    {
        // The loop's thread still has the activity that was current when the thread was started. That activity is not
        // the parent of this span.
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
